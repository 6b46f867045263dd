import { createHash } from 'node:crypto';
import type { ChatEvent, ChatReply, ChatRequest, Part } from './chat.ts';
import type { Dialect } from './codec.ts';
import { fittingId } from './tool-calls.ts';

/** Names of functions that most vendors take. */
export const commonToolName = /^[a-zA-Z0-9_-]{1,64}$/;

const LONGEST = 64;
const HASH = 8;

/** The name if the wire takes it, else a readable one of at most 64 characters with a hash. */
function fittingName(name: string, taken: RegExp | undefined): string {
  if (!taken || taken.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH);
  const start = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?=[^a-zA-Z_])/, '_');
  return `${start.slice(0, LONGEST - HASH - 1)}_${hash}`;
}

const namesIn = ({ tools, toolChoice, messages }: ChatRequest): string[] => [
  ...tools.map(({ name }) => name),
  ...(toolChoice?.names ?? []),
  ...messages.flatMap(({ parts }) => parts.flatMap((part) => ('name' in part && isNamed(part) ? part.name : []))),
];

const isNamed = (part: Part): part is Extract<Part, { type: 'tool_call' }> =>
  part.type === 'tool_call' || (part.type === 'tool_result' && part.name !== undefined);

/** The request with names of tools that the wire takes; the same object if all fit. */
export function withFittingNames(request: ChatRequest, taken: RegExp | undefined): ChatRequest {
  if (!taken || namesIn(request).every((name) => taken.test(name))) return request;
  const fit = (name: string): string => fittingName(name, taken);
  return {
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, name: fit(tool.name) })),
    toolChoice: request.toolChoice && { ...request.toolChoice, names: request.toolChoice.names?.map(fit) },
    messages: request.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (isNamed(part) ? { ...part, name: fit(part.name) } : part)),
    })),
  };
}

/** Gives calls back under the caller's names, and under ids that the caller's dialect takes. */
export class CallerCalls {
  readonly #names = new Map<string, string>();
  readonly #ids: RegExp;

  constructor(request: ChatRequest, taken: RegExp | undefined, { callIds }: Pick<Dialect, 'callIds'>) {
    this.#ids = callIds;
    if (!taken) return;
    for (const name of namesIn(request)) if (!taken.test(name)) this.#names.set(fittingName(name, taken), name);
  }

  reply(reply: ChatReply): ChatReply {
    return { ...reply, parts: reply.parts.map((part) => (part.type === 'tool_call' ? this.#fit(part) : part)) };
  }

  event(event: ChatEvent): ChatEvent {
    return event.type === 'tool_start' ? this.#fit(event) : event;
  }

  #fit<T extends { id: string; name: string }>(call: T): T {
    return { ...call, id: fittingId(call.id, this.#ids), name: this.#names.get(call.name) ?? call.name };
  }
}
