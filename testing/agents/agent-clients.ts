import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { type Chat, type FunctionCall, GoogleGenAI, type Part } from '@google/genai';
import { AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool as agentTool } from '@openai/agents';
import OpenAI from 'openai';

/** Where a client calls, and as whom. */
export interface AgentPlace {
  url: string;
  key: string;
  model: string;
}

/** The answers to the first question, whose tools were called, and to the last. */
export interface ThreeTurns {
  looked: string;
  recalled: string;
}

export type AgentClient = (place: AgentPlace) => Promise<ThreeTurns>;

/** The first question needs two calls of the tool; the second is answered from the history only. */
export const questions = {
  look: 'The word is marmot-7. [[look up Paris, Rome]]',
  recall: 'And now? [[recall]]',
  handOver: 'The word is marmot-7. [[hand over]] [[look up Paris, Rome]]',
};

const degrees: Record<string, string> = { Paris: '21 in Paris', Rome: '18 in Rome' };
export const temperature = (city: unknown): string => degrees[String(city)] ?? 'nowhere';
/** Text that the two answers have to contain. */
export const proofs = {
  looked: ['The tools say: ', '21 in Paris', '18 in Rome'],
  recalled: ['The word was marmot-7. I learnt: ', '21 in Paris', '18 in Rome'],
};

export const citySchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city' as const],
  additionalProperties: false as const,
};
const about = { name: 'temperature', description: 'The temperature in a city' };
const openAiAt = ({ url, key }: AgentPlace): OpenAI => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const inputOf = (json: string): unknown => (JSON.parse(json) as { city?: unknown }).city;

/** `openai`, Chat Completions with its tool runner. */
export const openAiChat: AgentClient = async (place) => {
  const client = openAiAt(place).chat.completions;
  const runnable = {
    type: 'function' as const,
    function: {
      ...about,
      parameters: citySchema,
      parse: JSON.parse,
      function: ({ city }: { city: string }) => temperature(city),
    },
  };
  const runner = client.runTools({
    model: place.model,
    messages: [{ role: 'user', content: questions.look }],
    tools: [runnable],
    stream: true,
  });
  const looked = (await runner.finalContent()) ?? '';
  const messages = [...runner.messages, { role: 'user' as const, content: questions.recall }];
  const last = await client.create({ model: place.model, messages });
  return { looked, recalled: last.choices[0]?.message.content ?? '' };
};

const responseTool: OpenAI.Responses.FunctionTool = {
  type: 'function',
  ...about,
  parameters: citySchema,
  strict: true,
};
const responseResults = ({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseInputItem[] =>
  output.flatMap((item) =>
    item.type === 'function_call'
      ? { type: 'function_call_output', call_id: item.call_id, output: temperature(inputOf(item.arguments)) }
      : [],
  );

type AskResponses = (
  body: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream' | 'model' | 'tools'>,
) => Promise<OpenAI.Responses.Response>;

const askWhole =
  (place: AgentPlace): AskResponses =>
  (body) =>
    openAiAt(place).responses.create({ model: place.model, tools: [responseTool], ...body });
const askStreamed =
  (place: AgentPlace): AskResponses =>
  (body) =>
    openAiAt(place)
      .responses.stream({ model: place.model, tools: [responseTool], ...body })
      .finalResponse();

/** Each turn names the answer before it and sends only what is new. */
const continuing =
  (asking: (place: AgentPlace) => AskResponses): AgentClient =>
  async (place) => {
    const ask = asking(place);
    const first = await ask({ input: questions.look });
    const second = await ask({ input: responseResults(first), previous_response_id: first.id });
    const third = await ask({ input: questions.recall, previous_response_id: second.id });
    return { looked: second.output_text, recalled: third.output_text };
  };

/** `openai`, Responses, with answers kept by the server. */
export const openAiResponses = continuing(askWhole);
/** The same with the helper for streams. */
export const openAiResponsesStreamed = continuing(askStreamed);

/** `openai`, Responses without any state: the caller sends everything again, reasoning in an encrypted form. */
export const openAiResponsesStateless: AgentClient = async (place) => {
  const ask = askWhole(place);
  const base = {
    store: false,
    include: ['reasoning.encrypted_content' as const],
    reasoning: { effort: 'low' as const },
  };
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: questions.look }];
  const first = await ask({ ...base, input });
  input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]), ...responseResults(first)); // as its documentation says
  const second = await ask({ ...base, input });
  input.push(...(second.output as OpenAI.Responses.ResponseInputItem[]), { role: 'user', content: questions.recall });
  const third = await ask({ ...base, input });
  return { looked: second.output_text, recalled: third.output_text };
};

const anthropicAt = ({ url, key }: AgentPlace): Anthropic =>
  new Anthropic({ apiKey: key, baseURL: `${url}/claude`, maxRetries: 0 });
const textsOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

/** `@anthropic-ai/sdk` with its tool runner, which keeps a thread on the server. */
const toolRunner =
  (stream: boolean): AgentClient =>
  async (place) => {
    const client = anthropicAt(place);
    const runnable = betaTool({ ...about, inputSchema: citySchema, run: ({ city }) => temperature(city) });
    const base = { model: place.model, max_tokens: 4000, tools: [runnable] };
    const runner = client.beta.messages.toolRunner({
      ...base,
      stream,
      messages: [{ role: 'user', content: questions.look }],
    });
    const looked = textsOf((await runner.runUntilDone()).content);
    const answer = await client.beta.messages.toolRunner({
      ...base,
      messages: [...runner.params.messages, { role: 'user', content: questions.recall }],
    });
    return { looked, recalled: textsOf(answer.content) };
  };
export const anthropicRunner = toolRunner(false);
export const anthropicRunnerStreamed = toolRunner(true);

/** `@anthropic-ai/sdk` with a conversation that the server keeps, turn by turn. */
export const anthropicThread: AgentClient = async (place) => {
  const thread = anthropicAt(place).beta.messages.thread({
    model: place.model,
    max_tokens: 4000,
    tools: [{ ...about, input_schema: citySchema }],
    unsupportedRequestBehavior: 'continue_unthreaded',
  });
  const first = await thread.send({ role: 'user', content: questions.look });
  const content = first.content.flatMap((block) =>
    block.type === 'tool_use'
      ? {
          type: 'tool_result' as const,
          tool_use_id: block.id,
          content: temperature((block.input as { city?: string }).city),
        }
      : [],
  );
  const second = await thread.send({ role: 'user', content });
  const third = await thread.send({ role: 'user', content: questions.recall });
  return { looked: textsOf(second.content), recalled: textsOf(third.content) };
};

/** `@anthropic-ai/sdk`, streams with thinking whose signatures come back. */
export const anthropicThinking: AgentClient = async (place) => {
  const client = anthropicAt(place);
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: questions.look }];
  const ask = async (): Promise<Anthropic.Message> => {
    const answer = await client.messages
      .stream({
        model: place.model,
        max_tokens: 4000,
        thinking: { type: 'enabled', budget_tokens: 2000 },
        tools: [{ ...about, input_schema: citySchema }],
        messages,
      })
      .finalMessage();
    messages.push({ role: 'assistant', content: answer.content });
    return answer;
  };
  const first = await ask();
  const content = first.content.flatMap((block) =>
    block.type === 'tool_use'
      ? {
          type: 'tool_result' as const,
          tool_use_id: block.id,
          content: temperature((block.input as { city?: string }).city),
        }
      : [],
  );
  messages.push({ role: 'user', content });
  const looked = textsOf((await ask()).content);
  messages.push({ role: 'user', content: questions.recall });
  return { looked, recalled: textsOf((await ask()).content) };
};

const declaration = { ...about, parametersJsonSchema: citySchema };
const geminiAt = ({ url, key }: AgentPlace): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${url}/gemini`, retryOptions: { attempts: 1 } } });
const geminiResults = (calls: readonly FunctionCall[]): Part[] =>
  calls.map(({ id, name = '', args }) => ({
    functionResponse: { name, response: { output: temperature(args?.['city']) }, ...(id !== undefined && { id }) },
  }));

/** `@google/genai` with automatic function calling, in a chat. */
export const geminiAutomatic: AgentClient = async (place) => {
  const callable = {
    tool: () => Promise.resolve({ functionDeclarations: [declaration] }),
    callTool: (calls: FunctionCall[]) => Promise.resolve(geminiResults(calls)),
  };
  const chat = geminiAt(place).chats.create({ model: place.model, config: { tools: [callable] } });
  const looked = (await chat.sendMessage({ message: questions.look })).text ?? '';
  return { looked, recalled: (await chat.sendMessage({ message: questions.recall })).text ?? '' };
};

/** `@google/genai`, streams of a chat whose caller calls the functions. */
export const geminiStreamed: AgentClient = async (place) => {
  const chat = geminiAt(place).chats.create({
    model: place.model,
    config: {
      tools: [{ functionDeclarations: [declaration] }],
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
    },
  });
  const first = await streamedGemini(chat, questions.look);
  const looked = (await streamedGemini(chat, geminiResults(first.calls))).text;
  return { looked, recalled: (await streamedGemini(chat, questions.recall)).text };
};

async function streamedGemini(chat: Chat, message: string | Part[]): Promise<{ text: string; calls: FunctionCall[] }> {
  const got = { text: '', calls: [] as FunctionCall[] };
  for await (const piece of await chat.sendMessageStream({ message })) {
    got.text += piece.text ?? '';
    got.calls.push(...(piece.functionCalls ?? []));
  }
  return got;
}

/** LangChain's ChatOpenAI: the history is a list of messages. */
const langChain =
  (settings: { useResponsesApi?: boolean; streaming?: boolean }): AgentClient =>
  async ({ url, key, model: name }) => {
    const chat = new ChatOpenAI({
      model: name,
      apiKey: key,
      configuration: { baseURL: `${url}/v1` },
      maxRetries: 0,
      ...settings,
    });
    const model = chat.bindTools([{ type: 'function', function: { ...about, parameters: citySchema } }]);
    const messages: BaseMessage[] = [new HumanMessage(questions.look)];
    const ask = async () => {
      const answer = await model.invoke(messages);
      messages.push(answer);
      return answer;
    };
    const streamed = async () => {
      let whole: AIMessageChunk | undefined;
      for await (const piece of await model.stream(messages)) whole = whole === undefined ? piece : whole.concat(piece);
      const answer = whole ?? new AIMessageChunk('');
      messages.push(answer);
      return answer;
    };
    const next = settings.streaming ? streamed : ask;
    const { tool_calls: calls } = await next();
    for (const { id = '', args } of calls ?? [])
      messages.push(new ToolMessage({ tool_call_id: id, content: temperature((args as { city?: string }).city) }));
    const looked = (await next()).text;
    messages.push(new HumanMessage(questions.recall));
    return { looked, recalled: (await next()).text };
  };
export const langChainChat = langChain({});
export const langChainChatStreamed = langChain({ streaming: true });
export const langChainResponses = langChain({ useResponsesApi: true });
export const langChainResponsesStreamed = langChain({ useResponsesApi: true, streaming: true });

setTracingDisabled(true);

/** `@openai/agents`: an agent hands over to another, which calls the tool. */
const agents =
  (keepsHistory: 'here' | 'there', useResponses = true): AgentClient =>
  async (place) => {
    const modelProvider = new OpenAIProvider({ openAIClient: openAiAt(place), useResponses });
    const runner = new Runner({ modelProvider, model: place.model, tracingDisabled: true });
    const weather = agentTool({
      ...about,
      parameters: citySchema,
      strict: true,
      execute: (input) => temperature((input as { city?: string }).city),
    });
    const specialist = new Agent({ name: 'specialist', instructions: 'You know temperatures.', tools: [weather] });
    const first = new Agent({ name: 'first', instructions: 'Hand over.', handoffs: [specialist] });
    const looked = await runner.run(first, questions.handOver);
    const { lastResponseId } = looked;
    const recalled =
      keepsHistory === 'there' && lastResponseId !== undefined
        ? await runner.run(specialist, questions.recall, { previousResponseId: lastResponseId })
        : await runner.run(specialist, [...looked.history, { role: 'user', content: questions.recall }]);
    return { looked: looked.finalOutput ?? '', recalled: recalled.finalOutput ?? '' };
  };
export const agentsResponses = agents('here');
export const agentsPrevious = agents('there');
export const agentsChat = agents('here', false);
