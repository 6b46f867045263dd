import { createHash } from 'node:crypto';
import { officialFields } from '#chat/testing/official-fields.ts';
import { type Json, listOr, objectOr, textOr } from '#json.ts';
import {
  type ModelTurn,
  callFault,
  countTokens,
  type CountedTokens,
  type Move,
  nextMove,
  type Step,
} from './agent-script.ts';
import { forcedTool, openAiRefusal, textIn } from './chat-vendor.ts';
import { halves, unknownField, type VendorReply, type VendorRequest } from './vendor-server.ts';

/** Codex sends one that the official client does not know. */
const requestFields = new Set([
  ...officialFields('responses', 'ResponseCreateParamsBase'),
  'stream',
  'client_metadata',
]);
const itemFields: Record<string, ReadonlySet<string>> = {
  message: new Set(['type', 'role', 'content', 'id', 'status', 'phase']),
  function_call: new Set(officialFields('responses', 'ResponseFunctionToolCall')),
  function_call_output: new Set(['type', 'call_id', 'output', 'id', 'status']),
  reasoning: new Set(officialFields('responses', 'ResponseReasoningItem')),
  item_reference: new Set(['type', 'id']),
};

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
const encrypted = (text: string): string => Buffer.from(`${text}|${digest(text)}`).toString('base64');
const isEncrypted = (value: string): boolean => {
  const [text = '', hash] = Buffer.from(value, 'base64').toString('utf8').split('|');
  return hash === digest(text);
};

/** OpenAI's Responses with stored answers, https://platform.openai.com/docs/api-reference/responses. */
export class ResponsesVendor {
  /** Answers by id, with all items of their conversation; none of `store: false`. */
  readonly #stored = new Map<string, { reply: Json; items: Json[]; input: Json[] }>();
  /** Stored items by id. */
  readonly #items = new Map<string, Json>();
  /** Which reasoning item a stored item followed. */
  readonly #reasonedBy = new Map<string, string>();
  #made = 0;

  /** The reply to a request below /v1/responses; undefined for other addresses. */
  answer(request: VendorRequest): VendorReply | undefined {
    const [, id, part] = /^\/v1\/responses(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(request.path) ?? [];
    if (!request.path.startsWith('/v1/responses')) return undefined;
    if (request.method === 'POST' && id === undefined) return this.#create(request.body);
    if (request.method === 'POST' && id === 'input_tokens')
      return { json: { object: 'response.input_tokens', input_tokens: JSON.stringify(request.body).length } };
    return this.#about(request.method, id ?? '', part);
  }

  #about(method: string, id: string, part: string | undefined): VendorReply {
    const stored = this.#stored.get(id);
    if (!stored) throw openAiRefusal(404, `Response with id '${id}' not found.`);
    if (method === 'DELETE') {
      this.#stored.delete(id);
      return { json: { id, object: 'response', deleted: true } };
    }
    if (part === 'cancel') throw openAiRefusal(400, 'Only background responses can be cancelled.');
    if (part !== 'input_items') return { json: stored.reply };
    const data = stored.input.map((item, i) => ({ id: `msg_in${i}`, ...item })).toReversed();
    return { json: { object: 'list', data, first_id: data[0]?.id, last_id: data.at(-1)?.id, has_more: false } };
  }

  #create(body: Json): VendorReply {
    const field = unknownField(body, requestFields);
    if (field !== undefined)
      throw openAiRefusal(400, `Unknown parameter: '${field}'.`, { param: field, code: 'unknown_parameter' });
    const input = this.#inputOf(body);
    const items = [...this.#before(body), ...input];
    this.#needPairs(items);
    const model = textOr(body['model'], '');
    const asked: ModelTurn = {
      steps: stepsOf(items),
      tools: listOr(body['tools']).map((tool) => {
        const { name, parameters } = objectOr(tool);
        return { name: textOr(name, ''), schema: parameters };
      }),
      forced: forcedTool(body['tool_choice']),
      schema: schemaOf(body['text']),
      reasons: /^(gpt-5|o\d)/.test(model),
    };
    needAnswers(asked.steps);
    const move = nextMove(asked);
    const usage = countTokens([body, items], asked, move);
    const output = this.#outputOf(move, body);
    const reply = this.#replyOf(body, output, usage);
    if (body['store'] !== false) this.#store(reply, items, input);
    return { usage, ...(body['stream'] === true ? { events: eventsOf(reply) } : { json: reply }) };
  }

  /** Items of the conversation that the request continues. */
  #before({ previous_response_id: previous }: Json): Json[] {
    if (typeof previous !== 'string') return [];
    const stored = this.#stored.get(previous);
    if (stored) return stored.items;
    throw openAiRefusal(400, `Previous response with id '${previous}' not found.`, {
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
  }

  #inputOf({ input, store }: Json): Json[] {
    if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
    return listOr(input).map((one, i) => {
      const item = objectOr(one);
      const type = textOr(item['type'], 'message');
      const field = unknownField(item, itemFields[type] ?? new Set(Object.keys(item)));
      if (field !== undefined)
        throw openAiRefusal(400, `Unknown parameter: 'input[${i}].${field}'.`, {
          param: `input[${i}].${field}`,
          code: 'unknown_parameter',
        });
      const id = textOr(item['id'], '');
      const stored = this.#items.get(id);
      if (type === 'item_reference') return stored ?? this.#notFound(id, store);
      if (type !== 'reasoning') return { ...item, type };
      const sealed = item['encrypted_content'];
      if (typeof sealed !== 'string') return stored ?? this.#notFound(id, store);
      if (isEncrypted(sealed)) return item;
      throw openAiRefusal(400, `The encrypted content for item ${id} could not be verified.`, {
        code: 'invalid_encrypted_content',
      });
    });
  }

  #notFound(id: string, store: unknown): never {
    const hint =
      ' Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.';
    throw openAiRefusal(404, `Item with id '${id}' not found.${store === false ? hint : ''}`, { param: 'input' });
  }

  /** A stored item may only come back with the reasoning before it, and reasoning not without what follows it. */
  #needPairs(items: readonly Json[]): void {
    for (const [i, item] of items.entries()) {
      const id = textOr(item['id'], '');
      const reasoning = this.#reasonedBy.get(id);
      if (reasoning !== undefined && !items.slice(0, i).some((one) => one['id'] === reasoning))
        throw openAiRefusal(
          400,
          `Item '${id}' of type '${String(item['type'])}' was provided without its required 'reasoning' item: '${reasoning}'.`,
          { param: 'input' },
        );
      const next = items[i + 1];
      const isAlone = next === undefined || next['role'] === 'user' || next['type'] === 'function_call_output';
      if (item['type'] === 'reasoning' && isAlone)
        throw openAiRefusal(400, `Item '${id}' of type 'reasoning' was provided without its required following item.`, {
          param: 'input',
        });
    }
  }

  #outputOf({ reasoning, text, calls }: Move, { include, store, reasoning: options }: Json): Json[] {
    const sealed = listOr(include).includes('reasoning.encrypted_content');
    const wantsSummary = objectOr(options)['summary'] !== undefined && objectOr(options)['summary'] !== null;
    const reasoningId = `rs_${++this.#made}`;
    const reasoned: Json = {
      id: reasoningId,
      type: 'reasoning',
      summary: wantsSummary ? [{ type: 'summary_text', text: reasoning }] : [],
      ...(sealed && { encrypted_content: encrypted(reasoning) }),
    };
    const said = { type: 'output_text', text, annotations: [], logprobs: [] };
    const output: Json[] = [
      ...(reasoning ? [reasoned] : []),
      ...(text
        ? [{ id: `msg_${++this.#made}`, type: 'message', status: 'completed', role: 'assistant', content: [said] }]
        : []),
      ...calls.map(({ name, input }): Json => {
        const [id, callId] = [`fc_${++this.#made}`, `call_${this.#made}`];
        return {
          id,
          type: 'function_call',
          status: 'completed',
          call_id: callId,
          name,
          arguments: JSON.stringify(input),
        };
      }),
    ];
    if (reasoning && store !== false)
      for (const item of output.slice(1, 2)) this.#reasonedBy.set(textOr(item['id'], ''), reasoningId);
    return output;
  }

  #replyOf(body: Json, output: Json[], { prompt, cached, completion, reasoning }: CountedTokens): Json {
    return {
      id: `resp_${++this.#made}`,
      object: 'response',
      created_at: 1_760_000_000,
      status: 'completed',
      background: false,
      error: null,
      incomplete_details: null,
      instructions: body['instructions'] ?? null,
      max_output_tokens: body['max_output_tokens'] ?? null,
      model: body['model'],
      output,
      parallel_tool_calls: body['parallel_tool_calls'] ?? true,
      previous_response_id: body['previous_response_id'] ?? null,
      reasoning: { effort: objectOr(body['reasoning'])['effort'] ?? 'medium', summary: null },
      store: body['store'] !== false,
      temperature: 1,
      text: body['text'] ?? { format: { type: 'text' } },
      tool_choice: body['tool_choice'] ?? 'auto',
      tools: body['tools'] ?? [],
      top_p: 1,
      truncation: 'disabled',
      usage: {
        input_tokens: prompt,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: completion,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: prompt + completion,
      },
      metadata: body['metadata'] ?? {},
    };
  }

  #store(reply: Json, items: Json[], input: Json[]): void {
    const output = listOr(reply['output']).map(objectOr);
    this.#stored.set(textOr(reply['id'], ''), { reply, items: [...items, ...output], input });
    for (const item of output) this.#items.set(textOr(item['id'], ''), item);
  }
}

const schemaOf = (text: unknown): unknown => {
  const { type, schema } = objectOr(objectOr(text)['format']);
  return type === 'json_schema' ? schema : undefined;
};

function stepsOf(items: readonly Json[]): Step[] {
  return items.flatMap((item): Step[] => {
    const { type, role, content, call_id: callId, name, output } = item;
    const id = textOr(callId, '');
    if (type === 'message' && role === 'user') return [{ kind: 'user', text: textIn(content) }];
    if (type === 'message' && role === 'assistant') return [{ kind: 'model', text: textIn(content) }];
    if (type === 'function_call' || type === 'custom_tool_call') return [{ kind: 'call', id, name: textOr(name, '') }];
    if (type === 'function_call_output' || type === 'custom_tool_call_output')
      return [{ kind: 'result', id, text: textIn(output) }];
    return [];
  });
}

function needAnswers(steps: readonly Step[]): void {
  const wrong = callFault(steps);
  if (!wrong) return;
  const message =
    wrong.fault === 'unknown'
      ? `No tool call found for function call output with call_id ${wrong.id}.`
      : `No tool output found for function call ${wrong.id}.`;
  throw openAiRefusal(400, message, { param: 'input' });
}

function eventsOf(reply: Json): object[] {
  const open = { ...reply, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: open },
    { type: 'response.in_progress', response: open },
    ...listOr(reply['output']).flatMap((item, at) => itemEvents(objectOr(item), at)),
    { type: 'response.completed', response: reply },
  ];
  return events.map((event, i) => ({ ...event, sequence_number: i }));
}

function itemEvents(item: Json, at: number): (Json & { type: string })[] {
  const place = { output_index: at, item_id: item['id'] };
  const added = (shell: object): Json & { type: string } => ({
    type: 'response.output_item.added',
    output_index: at,
    item: { ...item, ...shell, status: 'in_progress' },
  });
  const done = { type: 'response.output_item.done', output_index: at, item };
  if (item['type'] === 'function_call') {
    const input = textOr(item['arguments'], '');
    return [
      added({ arguments: '' }),
      ...halves(input).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
      { type: 'response.function_call_arguments.done', ...place, name: item['name'], arguments: input },
      done,
    ];
  }
  if (item['type'] === 'reasoning')
    return [
      added({ summary: [] }),
      ...listOr(item['summary']).flatMap((part, i) => {
        const text = textOr(objectOr(part)['text'], '');
        const where = { ...place, summary_index: i };
        return [
          { type: 'response.reasoning_summary_part.added', ...where, part: { type: 'summary_text', text: '' } },
          ...halves(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...where, delta })),
          { type: 'response.reasoning_summary_text.done', ...where, text },
          { type: 'response.reasoning_summary_part.done', ...where, part },
        ];
      }),
      done,
    ];
  const part = objectOr(listOr(item['content'])[0]);
  const where = { ...place, content_index: 0 };
  return [
    added({ content: [] }),
    { type: 'response.content_part.added', ...where, part: { ...part, text: '' } },
    ...halves(textOr(part['text'], '')).map((delta) => ({
      type: 'response.output_text.delta',
      ...where,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...where, text: part['text'], logprobs: [] },
    { type: 'response.content_part.done', ...where, part },
    done,
  ];
}
