import { createHash } from 'node:crypto';
import { officialFields } from '#chat/testing/official-fields.ts';
import { type Json, listOr, objectOr, textOr } from '#json.ts';
import { type ModelTurn, countTokens, type CountedTokens, type Move, nextMove, type Step } from './agent-script.ts';
import { halves, unknownField, type VendorReply, SimulatedRefusal, type VendorRequest } from './vendor-server.ts';

/** Models before Opus 4.7 take what the current client no longer offers. */
const sampling = ['temperature', 'top_p', 'top_k'];
const requestFields = [...officialFields('anthropic', 'MessageCreateParamsBase'), 'stream', ...sampling];
const threadsBeta = 'message-threads-2026-08-12';
/** Fields of beta headers that clients send. */
const betaFields = ['context_management', 'mcp_servers', 'container', 'output_format', 'speed', 'fallbacks'];

/** A refusal in Anthropic's form; `details` direct clients. */
function refusal(status: number, message: string, details?: Json): SimulatedRefusal {
  const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
  const error = { type, message, ...(details && { details }) };
  return new SimulatedRefusal(status, message, { type: 'error', error, request_id: 'req_simulated' });
}

const signature = (thinking: string): string => createHash('sha256').update(`sealed ${thinking}`).digest('base64');

interface Thread {
  messages: Json[];
  system: unknown;
  tools: unknown;
  isContinued: boolean;
}

/** Anthropic's Messages with message threads, https://docs.anthropic.com/en/api/messages. */
export class AnthropicVendor {
  /** By the id of the reply that a turn continues from. */
  readonly #threads = new Map<string, Thread>();
  #made = 0;

  answer(request: VendorRequest): VendorReply {
    const { body, headers } = request;
    if (!headers['anthropic-version']) throw refusal(400, 'anthropic-version: header is required');
    const betas = String(headers['anthropic-beta'] ?? '').split(',');
    const allowed = new Set([
      ...requestFields,
      ...(headers['anthropic-beta'] === undefined ? [] : betaFields),
      ...(betas.includes(threadsBeta) ? ['thread'] : []),
    ]);
    const field = unknownField(body, allowed);
    if (field !== undefined) throw refusal(400, `${field}: Extra inputs are not permitted`);
    if (request.path.endsWith('/count_tokens')) return { json: { input_tokens: JSON.stringify(body).length } };
    if (typeof body['max_tokens'] !== 'number') throw refusal(400, 'max_tokens: Field required');
    return this.#reply(body, this.#continued(body));
  }

  /** The thread that the request continues. */
  #continued({ thread, system, tools }: Json): Thread | undefined {
    const { type, previous_message_id: previous } = objectOr(thread);
    if (type !== 'continue') return undefined;
    const found = this.#threads.get(textOr(previous, ''));
    if (!found) throw refusal(404, `thread: no message ${String(previous)}`, { error_code: 'thread_not_found' });
    if (found.isContinued)
      throw refusal(409, 'thread: the message was continued already', { error_code: 'thread_already_continued' });
    if (system !== undefined || tools !== undefined)
      throw refusal(400, 'thread: a continued thread keeps system and tools');
    return found;
  }

  #reply(body: Json, thread: Thread | undefined): VendorReply {
    const messages = [...(thread?.messages ?? []), ...listOr(body['messages']).map(objectOr)];
    const { system, tools } = thread ?? body;
    const { type: thinks, budget_tokens: budget } = objectOr(body['thinking']);
    const isThinking = thinks === 'enabled' || thinks === 'adaptive';
    if (thinks === 'enabled') this.#needBudget(body, budget);
    checkMessages(messages, isThinking);
    const choice = objectOr(body['tool_choice']);
    if (isThinking && (choice['type'] === 'any' || choice['type'] === 'tool'))
      throw refusal(400, 'Thinking may not be enabled when tool_choice forces tool use.');
    const asked: ModelTurn = {
      steps: messages.flatMap(stepsOf),
      tools: listOr(tools).map((tool) => {
        const { name, input_schema: schema } = objectOr(tool);
        return { name: textOr(name, ''), schema };
      }),
      forced: choice['type'] === 'any' ? '' : textOr(choice['name'], undefined),
      schema: schemaOf(body),
      reasons: isThinking,
    };
    const move = nextMove(asked);
    const usage = countTokens([messages, system, tools], asked, move);
    const reply = {
      id: `msg_${++this.#made}`,
      type: 'message',
      role: 'assistant',
      model: body['model'],
      content: this.#contentOf(move),
      stop_reason: move.calls.length > 0 ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: usageJson(usage),
    };
    if (body['thread']) {
      if (thread) thread.isContinued = true;
      const said = { role: 'assistant', content: reply.content };
      this.#threads.set(reply.id, { messages: [...messages, said], system, tools, isContinued: false });
    }
    return { usage, ...(body['stream'] === true ? { events: eventsOf(reply) } : { json: reply }) };
  }

  #needBudget(body: Json, budget: unknown): void {
    if (typeof budget !== 'number' || budget < 1024)
      throw refusal(400, 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    if (budget >= Number(body['max_tokens']))
      throw refusal(400, '`max_tokens` must be greater than `thinking.budget_tokens`.');
    if (body['temperature'] !== undefined && body['temperature'] !== 1)
      throw refusal(400, '`temperature` may only be set to 1 when thinking is enabled.');
  }

  #contentOf({ reasoning, text, calls }: Move): Json[] {
    return [
      ...(reasoning ? [{ type: 'thinking', thinking: reasoning, signature: signature(reasoning) }] : []),
      ...(text ? [{ type: 'text', text, citations: null }] : []),
      ...calls.map(({ name, input }) => ({ type: 'tool_use', id: `toolu_${++this.#made}`, name, input })),
    ];
  }
}

const schemaOf = ({ output_config: config, output_format: format }: Json): unknown => {
  const { type, schema } = objectOr(objectOr(config)['format'] ?? format);
  return type === 'json_schema' ? schema : undefined;
};

const usageJson = ({ prompt, cached, completion }: CountedTokens): object => ({
  input_tokens: prompt - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: completion,
});

const blocksOf = (content: unknown): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOr(content).map(objectOr);

const textOf = (content: unknown): string =>
  blocksOf(content)
    .map(({ text }) => textOr(text, ''))
    .join('\n');

function stepsOf({ role, content }: Json): Step[] {
  return blocksOf(content).flatMap((block): Step[] => {
    const text = textOr(block['text'], '');
    if (block['type'] === 'text') return [{ kind: role === 'user' ? 'user' : 'model', text }];
    if (block['type'] === 'tool_use')
      return [{ kind: 'call', id: textOr(block['id'], ''), name: textOr(block['name'], '') }];
    if (block['type'] !== 'tool_result') return [];
    return [{ kind: 'result', id: textOr(block['tool_use_id'], ''), text: textOf(block['content']) }];
  });
}

const idsIn = (message: Json | undefined, type: string, name: string): string[] =>
  blocksOf(message?.['content']).flatMap((block) => (block['type'] === type ? textOr(block[name], '') : []));

/** Calls with their results in the next message, and thinking with its signature. */
function checkMessages(messages: readonly Json[], isThinking: boolean): void {
  if (messages[0]?.['role'] !== 'user') throw refusal(400, 'messages: first message must use the "user" role');
  for (const [i, message] of messages.entries()) {
    const results = idsIn(messages[i + 1], 'tool_result', 'tool_use_id');
    const missing = idsIn(message, 'tool_use', 'id').filter((id) => !results.includes(id));
    if (missing.length > 0)
      throw refusal(
        400,
        `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    const calls = idsIn(messages[i - 1], 'tool_use', 'id');
    const foreign = idsIn(message, 'tool_result', 'tool_use_id').find((id) => !calls.includes(id));
    if (foreign !== undefined)
      throw refusal(
        400,
        `messages.${i}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${foreign}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    for (const [at, block] of blocksOf(message['content']).entries()) {
      if (block['type'] === 'text' && block['text'] === '')
        throw refusal(400, 'messages: text content blocks must be non-empty');
      if (block['type'] === 'thinking' && block['signature'] !== signature(textOr(block['thinking'], '')))
        throw refusal(400, `messages.${i}.content.${at}: Invalid \`signature\` in \`thinking\` block`);
    }
  }
  if (isThinking) needThinking(messages);
}

/** While tools are being used, the calls of a turn start with the thinking before them. */
function needThinking(messages: readonly Json[]): void {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const inLoop = idsIn(messages[at + 1], 'tool_result', 'tool_use_id').length > 0;
  const [first] = blocksOf(messages[at]?.['content']);
  if (!inLoop || first?.['type'] === 'thinking' || first?.['type'] === 'redacted_thinking') return;
  throw refusal(
    400,
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}

function eventsOf(reply: Json): object[] {
  const usage = objectOr(reply['usage']);
  return [
    {
      type: 'message_start',
      message: { ...reply, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...listOr(reply['content']).flatMap((block, index) => blockEvents(objectOr(block), index)),
    {
      type: 'message_delta',
      delta: { stop_reason: reply['stop_reason'], stop_sequence: null },
      usage: { output_tokens: usage['output_tokens'] },
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: Json, index: number): object[] {
  const delta = (part: object): object => ({ type: 'content_block_delta', index, delta: part });
  const start = (shell: object): object => ({
    type: 'content_block_start',
    index,
    content_block: { ...block, ...shell },
  });
  const stop = { type: 'content_block_stop', index };
  if (block['type'] === 'tool_use')
    return [
      start({ input: {} }),
      ...halves(JSON.stringify(block['input'])).map((part) => delta({ type: 'input_json_delta', partial_json: part })),
      stop,
    ];
  if (block['type'] === 'thinking')
    return [
      start({ thinking: '', signature: '' }),
      ...halves(textOr(block['thinking'], '')).map((thinking) => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature: block['signature'] }),
      stop,
    ];
  return [
    start({ text: '' }),
    ...halves(textOr(block['text'], '')).map((text) => delta({ type: 'text_delta', text })),
    stop,
  ];
}
