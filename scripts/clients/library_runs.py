"""Runs one Python client against a model of each channel. Prints a line of JSON for each check.

  python library_runs.py <client> <address of the hub> <key> <vendor=model>...
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

client, hub, key = sys.argv[1:4]
models = [pair.split('=', 1) for pair in sys.argv[4:]]

HELLO = 'Hello from the simulated model.'
LOOK = 'The word is marmot-7. [[look up Paris, Rome]]'
RECALL = 'And now? [[recall]]'
DEGREES = {'Paris': '21 in Paris', 'Rome': '18 in Rome'}
CITY = {
    'type': 'object',
    'properties': {'city': {'type': 'string'}},
    'required': ['city'],
    'additionalProperties': False,
}


def temperature(city: str) -> str:
    """The temperature in a city.

    Args:
        city: The name of the city.
    """
    return DEGREES.get(city, 'nowhere')


def need(text, *parts):
    for part in parts:
        assert part in (text or ''), f'{part!r} is not in {text!r}'


def need_looked(text):
    need(text, *DEGREES.values())


def need_recalled(text):
    need(text, 'marmot-7', *DEGREES.values())


def answer_model():
    from pydantic import BaseModel

    class Answer(BaseModel):
        answer: int

    return Answer


def openai_checks():
    from openai import OpenAI

    api = OpenAI(base_url=f'{hub}/v1', api_key=key, max_retries=0)
    tool = {'name': 'temperature', 'parameters': CITY}

    def chat(model):
        reply = api.chat.completions.create(model=model, messages=[{'role': 'user', 'content': 'Hello'}])
        need(reply.choices[0].message.content, HELLO)

    def stream(model):
        text, usage = '', None
        for chunk in api.chat.completions.create(
            model=model,
            messages=[{'role': 'user', 'content': 'Hello'}],
            stream=True,
            stream_options={'include_usage': True},
        ):
            text += (chunk.choices[0].delta.content or '') if chunk.choices else ''
            usage = chunk.usage or usage
        need(text, HELLO)
        assert usage and usage.prompt_tokens > 0, 'no usage'

    def tools(model):
        messages = [{'role': 'user', 'content': LOOK}]

        def ask():
            reply = api.chat.completions.create(
                model=model, messages=messages, tools=[{'type': 'function', 'function': tool}]
            )
            messages.append(reply.choices[0].message)
            return reply.choices[0].message

        for call in ask().tool_calls:
            result = temperature(**json.loads(call.function.arguments))
            messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': result})
        need_looked(ask().content)
        messages.append({'role': 'user', 'content': RECALL})
        need_recalled(ask().content)

    def structured(model):
        reply = api.chat.completions.parse(
            model=model, messages=[{'role': 'user', 'content': 'How many?'}], response_format=answer_model()
        )
        assert reply.choices[0].message.parsed.answer == 1

    def responses(model):
        functions = [{'type': 'function', 'strict': True, **tool}]
        first = api.responses.create(model=model, input=LOOK, tools=functions)
        results = [
            {
                'type': 'function_call_output',
                'call_id': item.call_id,
                'output': temperature(**json.loads(item.arguments)),
            }
            for item in first.output
            if item.type == 'function_call'
        ]
        with api.responses.stream(
            model=model, input=results, tools=functions, previous_response_id=first.id
        ) as events:
            for _ in events:
                pass
            second = events.get_final_response()
        need_looked(second.output_text)
        third = api.responses.create(model=model, input=RECALL, tools=functions, previous_response_id=second.id)
        need_recalled(third.output_text)

    return {'chat': chat, 'stream': stream, 'tools': tools, 'structured': structured, 'stateful Responses': responses}


def anthropic_checks():
    from anthropic import Anthropic, beta_tool

    api = Anthropic(base_url=f'{hub}/claude', api_key=key, max_retries=0)

    def hello(model):
        return {'model': model, 'max_tokens': 1000, 'messages': [{'role': 'user', 'content': 'Hello'}]}

    def chat(model):
        need(api.messages.create(**hello(model)).content[-1].text, HELLO)

    def stream(model):
        with api.messages.stream(**hello(model)) as events:
            need(events.get_final_text(), HELLO)

    def tools(model):
        runner = api.beta.messages.tool_runner(
            model=model,
            max_tokens=1000,
            tools=[beta_tool(temperature)],
            messages=[{'role': 'user', 'content': LOOK}],
        )
        need_looked(runner.until_done().content[-1].text)

    def structured(model):
        parsed = api.messages.parse(**hello(model), output_format=answer_model())
        assert parsed.parsed_output.answer == 1

    return {'chat': chat, 'stream': stream, 'tools': tools, 'structured': structured}


def google_checks():
    from google import genai
    from google.genai import types

    api = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=f'{hub}/gemini'))

    def chat(model):
        need(api.models.generate_content(model=model, contents='Hello').text, HELLO)

    def stream(model):
        pieces = api.models.generate_content_stream(model=model, contents='Hello')
        need(''.join(piece.text or '' for piece in pieces), HELLO)

    def tools(model):
        conversation = api.chats.create(model=model, config={'tools': [temperature]})
        need_looked(conversation.send_message(LOOK).text)
        need_recalled(conversation.send_message(RECALL).text)

    def structured(model):
        config = {'response_mime_type': 'application/json', 'response_schema': answer_model()}
        reply = api.models.generate_content(model=model, contents='How many?', config=config)
        assert reply.parsed.answer == 1

    return {'chat': chat, 'stream': stream, 'tools': tools, 'structured': structured}


def litellm_checks():
    import litellm

    def ask(model, messages, **more):
        base = {'api_base': f'{hub}/v1', 'api_key': key, 'num_retries': 0}
        return litellm.completion(model=f'openai/{model}', messages=messages, **{**base, **more})

    def chat(model):
        need(ask(model, [{'role': 'user', 'content': 'Hello'}]).choices[0].message.content, HELLO)

    def stream(model):
        chunks = ask(model, [{'role': 'user', 'content': 'Hello'}], stream=True)
        need(''.join(chunk.choices[0].delta.content or '' for chunk in chunks), HELLO)

    def tools(model):
        messages = [{'role': 'user', 'content': LOOK}]
        functions = [{'type': 'function', 'function': {'name': 'temperature', 'parameters': CITY}}]
        first = ask(model, messages, tools=functions).choices[0].message
        messages.append(first)
        for call in first.tool_calls:
            result = temperature(**json.loads(call.function.arguments))
            messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': result})
        need_looked(ask(model, messages, tools=functions).choices[0].message.content)

    def in_dialect(prefix, path):
        def check(model):
            reply = litellm.completion(
                model=f'{prefix}/{model}',
                messages=[{'role': 'user', 'content': 'Hello'}],
                api_base=f'{hub}{path.format(model=model)}',
                api_key=key,
                num_retries=0,
            )
            need(reply.choices[0].message.content, HELLO)

        return check

    return {
        'chat': chat,
        'stream': stream,
        'tools': tools,
        'Messages': in_dialect('anthropic', '/claude'),
        'generateContent': in_dialect('gemini', '/gemini/v1beta'),
    }


def langchain_checks(make, more=None):
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    def chat(model):
        need(make(model).invoke('Hello').text, HELLO)

    def stream(model):
        need(''.join(piece.text for piece in make(model).stream('Hello')), HELLO)

    def tools_of(made):
        def check(model):
            bound = made(model).bind_tools([tool(temperature)])
            messages = [HumanMessage(LOOK)]
            messages.append(bound.invoke(messages))
            for call in messages[-1].tool_calls:
                messages.append(ToolMessage(tool_call_id=call['id'], content=temperature(**call['args'])))
            messages.append(bound.invoke(messages))
            need_looked(messages[-1].text)
            messages.append(HumanMessage(RECALL))
            need_recalled(bound.invoke(messages).text)

        return check

    def structured(model):
        assert make(model).with_structured_output(answer_model()).invoke('How many?').answer == 1

    extra = {name: tools_of(made) for name, made in (more or {}).items()}
    return {'chat': chat, 'stream': stream, 'tools': tools_of(make), 'structured': structured, **extra}


def langchain_openai_checks():
    from langchain_openai import ChatOpenAI

    base = {'base_url': f'{hub}/v1', 'api_key': key, 'max_retries': 0}
    return langchain_checks(
        lambda model: ChatOpenAI(model=model, use_responses_api=False, **base),
        {
            'Responses': lambda model: ChatOpenAI(model=model, use_responses_api=True, **base),
            'stateful Responses': lambda model: ChatOpenAI(
                model=model, use_responses_api=True, use_previous_response_id=True, **base
            ),
        },
    )


def langchain_anthropic_checks():
    from langchain_anthropic import ChatAnthropic

    return langchain_checks(
        lambda model: ChatAnthropic(model=model, base_url=f'{hub}/claude', api_key=key, max_retries=0, max_tokens=1000)
    )


def pydantic_ai_checks():
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=f'{hub}/v1', api_key=key)

    def chat(model):
        need(Agent(OpenAIChatModel(model, provider=provider)).run_sync('Hello').output, HELLO)

    async def streamed(model):
        async with Agent(OpenAIChatModel(model, provider=provider)).run_stream('Hello') as result:
            need(await result.get_output(), HELLO)

    def tools_of(kind):
        def check(model):
            agent = Agent(kind(model, provider=provider), tools=[temperature])
            first = agent.run_sync(LOOK)
            need_looked(first.output)
            need_recalled(agent.run_sync(RECALL, message_history=first.all_messages()).output)

        return check

    def structured(model):
        agent = Agent(OpenAIChatModel(model, provider=provider), output_type=answer_model())
        assert agent.run_sync('How many?').output.answer == 1

    return {
        'chat': chat,
        'stream': lambda model: asyncio.run(streamed(model)),
        'tools': tools_of(OpenAIChatModel),
        'structured': structured,
        'Responses': tools_of(OpenAIResponsesModel),
    }


def agents_checks():
    from agents import Agent, OpenAIProvider, RunConfig, Runner, function_tool, set_tracing_disabled

    set_tracing_disabled(True)

    def setting(use_responses=True):
        provider = OpenAIProvider(base_url=f'{hub}/v1', api_key=key, use_responses=use_responses)
        return RunConfig(model_provider=provider)

    def agent(model):
        return Agent(name='specialist', model=model, tools=[function_tool(temperature)])

    def chat(model):
        need_looked(Runner.run_sync(agent(model), LOOK, run_config=setting(False)).final_output)

    async def streamed(model):
        result = Runner.run_streamed(agent(model), LOOK, run_config=setting())
        async for _ in result.stream_events():
            pass
        need_looked(result.final_output)

    def handoff(model):
        first = Agent(name='first', model=model, handoffs=[agent(model)])
        result = Runner.run_sync(first, f'[[hand over]] {LOOK}', run_config=setting())
        need_looked(result.final_output)
        again = result.to_input_list() + [{'role': 'user', 'content': RECALL}]
        need_recalled(Runner.run_sync(agent(model), again, run_config=setting()).final_output)

    def stateful(model):
        first = Runner.run_sync(agent(model), LOOK, run_config=setting())
        last = Runner.run_sync(
            agent(model), RECALL, previous_response_id=first.last_response_id, run_config=setting()
        )
        need_recalled(last.final_output)

    return {
        'Chat Completions': chat,
        'stream': lambda model: asyncio.run(streamed(model)),
        'handoff': handoff,
        'stateful Responses': stateful,
    }


def instructor_checks():
    import instructor
    from openai import OpenAI

    api = OpenAI(base_url=f'{hub}/v1', api_key=key, max_retries=0)

    def in_mode(mode):
        def check(model):
            made = instructor.from_openai(api, mode=mode)
            messages = [{'role': 'user', 'content': 'How many?'}]
            reply = made.chat.completions.create(
                model=model, messages=messages, response_model=answer_model(), max_retries=0
            )
            assert reply.answer == 1

        return check

    return {'tools': in_mode(instructor.Mode.TOOLS), 'structured': in_mode(instructor.Mode.JSON_SCHEMA)}


def llama_index_checks():
    from llama_index.core.llms import ChatMessage
    from llama_index.llms.openai import OpenAI

    # It refuses every name that is not OpenAI's.
    models[:] = [(vendor, model) for vendor, model in models if vendor == 'openai']

    def made(model):
        return OpenAI(model=model, api_base=f'{hub}/v1', api_key=key, max_retries=0)

    def chat(model):
        need(made(model).chat([ChatMessage(role='user', content='Hello')]).message.content, HELLO)

    def stream(model):
        pieces = made(model).stream_chat([ChatMessage(role='user', content='Hello')])
        need(''.join(piece.delta or '' for piece in pieces), HELLO)

    return {'chat': chat, 'stream': stream}


def llm_checks():
    folder = tempfile.mkdtemp()
    base = {'api_base': f'{hub}/v1', 'api_key_name': 'hub'}
    listed = [{'model_id': f'hub-{name}', 'model_name': model, **base} for name, model in models]
    with open(os.path.join(folder, 'extra-openai-models.yaml'), 'w', encoding='utf-8') as file:
        json.dump(listed, file)  # JSON is YAML
    names = {model: name for name, model in models}

    def run(model, *options):
        command = [sys.executable, '-m', 'llm', '-m', f'hub-{names[model]}', '--key', key, *options, 'Hello']
        env = {**os.environ, 'LLM_USER_PATH': folder}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        need(done.stdout + done.stderr, HELLO)

    return {'chat': lambda model: run(model, '--no-stream'), 'stream': run}


CHECKS = {
    'openai': openai_checks,
    'anthropic': anthropic_checks,
    'google-genai': google_checks,
    'litellm': litellm_checks,
    'langchain-openai': langchain_openai_checks,
    'langchain-anthropic': langchain_anthropic_checks,
    'pydantic-ai': pydantic_ai_checks,
    'openai-agents': agents_checks,
    'instructor': instructor_checks,
    'llama-index-llms-openai': llama_index_checks,
    'llm': llm_checks,
}


def line(vendor, check, error):
    text = f'{type(error).__name__}: {error}'[:600] if error else ''
    print('CHECK ' + json.dumps({'vendor': vendor, 'check': check, 'error': text}), flush=True)


try:
    checks = CHECKS[client]()
except Exception as error:  # the package itself does not start
    for vendor, _ in models:
        line(vendor, 'import', error)
    sys.exit(0)
for vendor, model in models:
    for check, run_check in checks.items():
        try:
            run_check(model)
        except Exception as error:
            line(vendor, check, error)
        else:
            line(vendor, check, None)
