"""LangChain's runnables, made by its own package, and LlamaIndex's query engines, of the shape it documents."""

from types import SimpleNamespace

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from ragassay.assistant.reply_validation import hooks_of, row_of
from ragassay.assistant.worker import function_of

HISTORY = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
FOUND = [Document("The fee is $6.", metadata={"id": "fees-1"}), Document("It is due in May.", id="fees-2")]


def row(asked, *arguments, **given):
    return row_of(asked(*arguments, **given))


def prompt(*names):
    return ChatPromptTemplate.from_messages(
        [*(MessagesPlaceholder(name) for name in names), ("human", "{question}" if names else "{input}")]
    )


def test_a_chain_that_takes_a_history():
    told = []
    asked = function_of(prompt("chat_history") | RunnableLambda(lambda value: told.append(value) or "Six."))
    assert hooks_of(asked) == ("history",)
    assert row(asked, "Fee?", history=HISTORY)["answer"] == "Six."
    assert [message.content for message in told[0].messages] == ["Hi", "Yes?", "Fee?"]


def test_a_retrieval_chain():
    chain = RunnablePassthrough.assign(context=lambda _: FOUND) | RunnablePassthrough.assign(
        answer=prompt() | FakeListChatModel(responses=["Six dollars."])
    )
    found = row(function_of(chain), "Fee?")
    assert (found["answer"], found["context_ids"]) == ("Six dollars.", ["fees-1", "fees-2"])
    assert found["contexts"] == ["The fee is $6.", "It is due in May."]


def test_a_runnable_that_takes_text():
    asked = function_of(RunnableLambda(lambda question: {"result": question, "source_documents": FOUND[:1]}))
    assert row(asked, "Fee?")["answer"] == "Fee?" and row(asked, "Fee?")["context_ids"] == ["fees-1"]


def test_a_graph_that_is_told_messages():
    def reply(state):
        parts = [{"type": "text", "text": f"{len(state['messages'])} "}, {"type": "text", "text": "messages"}]
        usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
        return {"messages": [*state["messages"], AIMessage(content=parts, usage_metadata=usage)]}

    graph = SimpleNamespace(invoke=reply, input_keys=["messages"])
    found = row(function_of(graph), "Fee?", history=HISTORY)
    assert (found["answer"], found["tokens"]) == ("3 messages", 7)


class Node(SimpleNamespace):
    def get_content(self):
        return self.text


def engine(*nodes, answer="Six dollars."):
    response = SimpleNamespace(
        response=answer, source_nodes=[SimpleNamespace(node=n, score=0.9) for n in nodes]
    )
    return SimpleNamespace(query=lambda question: response)


def test_a_query_engine():
    nodes = (
        Node(text="The fee is $6.", node_id="n-1", metadata={}),
        Node(text="May.", node_id="n-2", metadata={}),
    )
    found = row(function_of(engine(*nodes)), "Fee?")
    assert (found["answer"], found["contexts"]) == ("Six dollars.", ["The fee is $6.", "May."])
    assert found["context_ids"] == ["n-1", "n-2"]


def test_what_is_neither():
    assert function_of(len) is None and function_of(RunnableLambda) is None and function_of(object()) is None
