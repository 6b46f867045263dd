import { Buffer } from 'node:buffer';
import { isObject, textOr } from '#json.ts';
import type { Deps } from '#deps.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { Operation } from '#providers/operation.ts';
import type { CallRequest, ChannelChoice, Verdict } from '#relay/types/call-types.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { parseObject } from '#relay/body/json-reply.ts';
import { resolveAddress } from '#relay/upstream/address.ts';

/** How long a channel is called by its other API for chats. */
const REMEMBERED_MS = 60 * 60_000;
/** Models that are remembered of a channel; mappings with wildcards have any number. */
const MAX_MODELS = 1000;
const CONFIRM_MS = 5_000;
const MAX_CONFIRM_BYTES = 64 * 1024;

/** APIs that a channel turned out to lack, with expiries in Unix milliseconds. */
interface Lacks {
  responsesUntil: number;
  /** Models that speak Responses only. */
  chatUntil: Map<string, number>;
}

/** By channel. Any change of channels replaces the keys, and it is learnt again. */
const lacks = new WeakMap<LiveChannel, Lacks>();

/** `responses`: the upstream has no such path. `chat`: the model speaks Responses only. `once`: this request needs Responses. */
export type LackedApi = 'responses' | 'chat' | 'once';

/**
 * The API that an upstream lacks by its refusal; undefined: the refusal is about something else. A lack of Responses
 * has to be confirmed with `confirmsLack`: what callers refer to can be missing too.
 */
export function lackedApi(
  { dialect, operation: name }: Pick<CallRequest, 'dialect' | 'operation'>,
  { operation, upstreamModel, channel }: ChannelChoice,
  { status, body }: AttemptResult,
  { outcome, upstreamRefusal: refused }: Verdict,
): LackedApi | undefined {
  if (name !== 'chat' || outcome !== 'failed') return undefined;
  if (operation.dialect === 'openai') {
    const hasOther = operation.also?.some(({ dialect: other }) => other === 'responses') === true;
    if (!hasOther || !/\bv1\/responses\b/.test(refused?.message ?? '')) return undefined;
    return status === 404 ? 'chat' : status === 400 ? 'once' : undefined;
  }
  if (dialect !== 'responses' || operation.dialect !== 'responses' || isAtOpenAi(channel)) return undefined;
  return lacksPath(status, body.toString('utf8'), upstreamModel) ? 'responses' : undefined;
}

const isAtOpenAi = ({ provider, baseUrl }: LiveChannel): boolean =>
  provider.id === 'openai' && baseUrl === provider.baseUrl;

const noPath =
  /^(?:invalid url\b.*|error|cannot post \/\S*|(?:404[: -]*)?(?:(?:page|resource|path|route) (?:\S*\/\S* )?)?not[ _]found(?:[: ]+\/\S*)?)\W*$/is;

/** Whether a server says that it has no such path. What it says of the model or of another object is another matter. */
function lacksPath(status: number, text: string, model: string): boolean {
  if (status !== 404) return status === 405 || status === 501;
  const json = parseObject(text);
  if (!json) return !text.includes(model);
  const { error, detail, message } = json;
  const said = textOr(isObject(error) ? error['message'] : (error ?? detail ?? message), '').trim();
  return said === '' ? !isObject(error) : noPath.test(said);
}

/** Asks for a response without an input: free of charge, and refused with another status by a server that has the path. */
export async function confirmsLack(deps: Deps, choice: ChannelChoice): Promise<boolean> {
  const body = Buffer.from(JSON.stringify({ model: choice.upstreamModel }));
  try {
    const input = { stream: false, body, contentType: undefined, request: undefined };
    const target = await resolveAddress(deps, choice, { ...input, callerPath: undefined, callerHeaders: undefined });
    const query = { ...target, method: 'POST', body, timeoutMs: CONFIRM_MS, maxBytes: MAX_CONFIRM_BYTES } as const;
    const { status, text } = await deps.upstreams.ask(query);
    return lacksPath(status, text, choice.upstreamModel);
  } catch {
    return false; // nothing is proven
  }
}

/** Remembers the lack for later calls; `once` concerns this call only. */
export function noteLack(
  { log }: Pick<Deps, 'log'>,
  { channel, upstreamModel }: ChannelChoice,
  lacked: LackedApi,
  nowMs: number,
): void {
  if (lacked === 'once') return;
  let known = lacks.get(channel);
  if (!known) lacks.set(channel, (known = { responsesUntil: 0, chatUntil: new Map() }));
  if (lacked === 'responses') known.responsesUntil = nowMs + REMEMBERED_MS;
  else {
    if (known.chatUntil.size >= MAX_MODELS) known.chatUntil.clear();
    known.chatUntil.set(upstreamModel, nowMs + REMEMBERED_MS);
  }
  const facts = { channel: channel.id, ...(lacked === 'chat' && { model: upstreamModel }) };
  log.warn(facts, lacked === 'chat' ? 'a model speaks Responses only' : 'a channel has no Responses API');
}

/** Until when a channel is called without Responses; 0: it is not. Unix milliseconds. */
export function withoutResponsesUntil(channel: LiveChannel | undefined, nowMs: number): number {
  const until = (channel && lacks.get(channel)?.responsesUntil) ?? 0;
  return until > nowMs ? until : 0;
}

/** Forgets what a channel turned out to lack. */
export const forgetLacks = (channel: LiveChannel | undefined): void => void (channel && lacks.delete(channel));

/** Whether an operation is known to be missing at a channel for a model. */
export function isUnsupported(channel: LiveChannel, { dialect }: Operation, model: string): boolean {
  const known = lacks.get(channel);
  if (!known) return false;
  const until = dialect === 'responses' ? known.responsesUntil : dialect === 'openai' && known.chatUntil.get(model);
  return typeof until === 'number' && until > Date.now();
}
