import type { Buffer } from 'node:buffer';
import { keptSecret, type RouteCandidate, type RuleEndpoint } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { objectOr, type Json } from '#json.ts';
import { freePrice } from '#live/price-book.ts';
import { applyHeaderRules, type LiveRule, ruledBody, rulesFor } from '#live/request-rules.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { type Form, textsIn, withTexts } from '#relay/forms/form.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import type { ChannelChoice, ChannelOffer, RelayCall, RouteQuery, UpstreamRequest } from '#relay/types/call-types.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { masked } from '#secrets.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import { parseObject } from '#relay/body/json-reply.ts';
import { droppedIn } from '#relay/body/routing-fields.ts';
import { spliceMembers, withoutMembers } from '#relay/body/json-splice.ts';
import { fitChoice, refitChoice } from '#relay/select/fit-options.ts';
import { buildUpstreamRequest } from './upstream-request.ts';

/**
 * The request that a channel receives: the caller's, changed by the channel's rules and converted. Until the next plan,
 * `request`, `json` and `body` of the call are what the rules made of them, so that price, reservation and the checks of
 * the usage refer to the request that is sent. Throws a `RelayError` for features that the channel cannot express.
 */
export function effectiveRequest(deps: PricingDeps, call: RelayCall, choice: ChannelChoice): UpstreamRequest {
  const outgoing = requestByRules(deps, call, choice);
  if (call.wishes?.require_parameters || call.caller.limits?.provider?.require_parameters)
    refuseDropped(call, outgoing);
  return outgoing;
}

function refuseDropped(call: RelayCall, outgoing: UpstreamRequest): void {
  const dropped = droppedIn(call, outgoing);
  const [first] = dropped;
  if (first === undefined) return;
  const names = dropped.slice(0, 10).map((name) => `'${name}'`);
  throw badRequest(
    `No provider of '${call.request.model}' that is free now takes every field: ${names.join(', ')} would be dropped, ` +
      `and 'provider.require_parameters' forbids it.`,
    first,
  );
}

function requestByRules(deps: PricingDeps, call: RelayCall, choice: ChannelChoice): UpstreamRequest {
  restoreRequest(call);
  const { rules } = choice.channel;
  if (rules) {
    const models = [call.request.model, choice.upstreamModel] as const;
    const found = rulesFor(rules, { endpoint: endpointOf(call), models });
    if (found.length > 0) return ruledRequest(deps, call, choice, found);
  }
  fitChoice(deps, call, choice);
  return buildUpstreamRequest(call, choice);
}

type PricingDeps = Pick<Deps, 'live' | 'now'>;

/** Undoes the changes of a channel's rules, before another channel is chosen by what the caller sent. */
export function restoreRequest(call: RelayCall): void {
  if (!call.unchanged) return;
  Object.assign(call, call.unchanged);
  call.unchanged = undefined;
}

const chatEndpoints = { openai: 'chat', responses: 'responses', anthropic: 'messages', gemini: 'gemini' } as const;

/** The API that the caller uses, as operators name it; undefined: one without a name. */
export function endpointOf({ operation, dialect }: Pick<RelayCall, 'operation' | 'dialect'>): RuleEndpoint | undefined {
  if (operation === 'chat' || operation === 'compact') return chatEndpoints[dialect];
  if (operation.startsWith('images.')) return 'images';
  if (operation === 'translations') return 'transcriptions';
  return operation as RuleEndpoint; // others have no rules and no endpoint of this name
}

function ruledRequest(
  deps: PricingDeps,
  call: RelayCall,
  choice: ChannelChoice,
  rules: readonly LiveRule[],
): UpstreamRequest {
  const isChat = call.operation === 'chat';
  // Only chats are converted into forms that operators know.
  const early = isChat ? rules.filter((rule) => rule.before_conversion) : rules;
  const late = isChat ? rules.filter((rule) => !rule.before_conversion) : [];
  const asked = changeCallersRequest(call, early);
  fitChoice(deps, call, choice, late.length === 0);
  const { json } = call;
  const outgoing = buildUpstreamRequest(call, choice);
  // It is built again once they are fetched.
  if (outgoing.missingPictures) return outgoing;
  const sent = late.length > 0 ? changeOutgoing(call, choice, outgoing, late) : {};
  if (call.json !== json) refitChoice(deps, call, choice);
  else fitChoice(deps, call, choice);
  const { changeHeaders: ofWire } = outgoing;
  if (rules.some(({ target }) => target === 'header'))
    outgoing.changeHeaders = (headers) => {
      ofWire?.(headers);
      applyHeaderRules(headers, early, asked);
      applyHeaderRules(headers, late, sent);
    };
  return outgoing;
}

/** Changes what the caller sent, in their format; returns it as JSON. */
function changeCallersRequest(call: RelayCall, rules: readonly LiveRule[]): Json {
  const { form } = call.request;
  if (form) return changeForm(call, form, rules);
  const before = objectOr(call.json);
  const after = ruledBody(before, rules);
  if (after === before) return before;
  const parsed = reparsed(call, { json: after });
  const { body, dropped } = call;
  keepUnchanged(call);
  call.body = patched(body, before, after);
  call.json = after;
  call.request = parsed;
  if (dropped?.originalBody) call.dropped = { ...dropped, originalBody: patched(dropped.originalBody, before, after) };
  return after;
}

/** Changes text fields of a form; values other than texts are written as JSON. */
function changeForm(call: RelayCall, form: Form, rules: readonly LiveRule[]): Json {
  const texts = form.parts.filter(({ filename }) => filename === undefined);
  const before: Json = Object.fromEntries(texts.map(({ name, kept }) => [name, kept.toString('utf8')]));
  const after = ruledBody(before, rules);
  if (after === before) return before;
  const changes = new Map<string, string | undefined>();
  for (const [name, value] of changedMembers(before, after))
    changes.set(name, typeof value === 'string' || value === undefined ? value : JSON.stringify(value));
  const changed = withTexts(form, changes);
  const parsed = reparsed(call, { form: changed });
  keepUnchanged(call);
  call.body = textsIn(changed);
  call.request = parsed;
  return after;
}

/** Changes the request in the channel's format; returns it as JSON. */
function changeOutgoing(
  call: RelayCall,
  { operation, upstreamModel }: ChannelChoice,
  outgoing: UpstreamRequest,
  rules: readonly LiveRule[],
): Json {
  const before = outgoing.contentType === undefined ? parseObject(outgoing.body.toString('utf8')) : undefined;
  if (!before) return {};
  const after = ruledBody(before, rules);
  if (after === before) return before;
  keepUnchanged(call);
  outgoing.body = patched(outgoing.body, before, after);
  const { dialect } = operation;
  const read = () =>
    dialect === call.dialect
      ? call.parse?.({ json: { ...after, model: call.request.model } })
      : dialect === 'own'
        ? undefined
        : readChat(dialect, after, { model: upstreamModel, stream: call.request.stream });
  call.request = { ...call.request, ...(factsIn(read) ?? unknownFacts(call.request, before, after)) };
  call.json = after;
  return after;
}

/** Limits that the reservation reads in a request; undefined: the format cannot be read. */
function factsIn(read: () => ParsedRequest | undefined): Partial<ParsedRequest> | undefined {
  try {
    const request = read();
    if (!request) return undefined;
    const { inputTokens, imageTokens = 0, outputLimit, choices = 1 } = request;
    return { inputTokens, imageTokens, outputLimit, choices };
  } catch (error) {
    // The upstream judges what its rules made of a request.
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}

/** Any output limit may have changed, so the longest answer is reserved. */
const unknownFacts = ({ inputTokens }: ParsedRequest, before: Json, after: Json): Partial<ParsedRequest> => ({
  inputTokens: inputTokens + estimateTokens(JSON.stringify(changedMembers(before, after))),
  outputLimit: undefined,
});

function keepUnchanged(call: RelayCall): void {
  const { request, json, body, dropped } = call;
  call.unchanged ??= { request, json, body, dropped };
}

/** Throws a `RelayError` that blames the rules for a request that the caller cannot have meant. */
function reparsed(call: RelayCall, body: { json: unknown } | { form: Form }): ParsedRequest {
  try {
    return call.parse?.(body) ?? call.request;
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    throw new RelayError(500, `The operator's rules for this model make the request invalid: ${error.message}`, {
      type: 'server_error',
      code: 'invalid_request_rule',
    });
  }
}

/** Top-level members that differ, with their new values; undefined: removed. */
function changedMembers(before: Json, after: Json): [name: string, value: unknown][] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]);
}

/** The bytes with the changed members; all others stay as they are. */
function patched(body: Buffer, before: Json, after: Json): Buffer {
  const changes = changedMembers(before, after);
  const removed = changes.filter(([, value]) => value === undefined).map(([name]) => name);
  const set = changes.filter(([, value]) => value !== undefined).map(([name, value]) => [name, JSON.stringify(value)]);
  const rest = removed.length > 0 ? withoutMembers(body, removed) : body;
  return set.length > 0 ? spliceMembers(rest, Object.fromEntries(set) as Record<string, string>) : rest; // texts of JSON
}

/** A request to show rules with. */
export type SampleRequest = Pick<RelayCall, 'request' | 'json' | 'body' | 'parse'>;

/** The sample before and after the rules of a channel, for operators; null: they change nothing. Sends nothing. */
export function previewRules(
  deps: PricingDeps,
  query: RouteQuery,
  sample: SampleRequest,
  offer: ChannelOffer,
): RouteCandidate['rules'] {
  if (!offer.channel.rules) return null;
  const [key] = offer.channel.keys;
  if (!key) return null;
  const price = deps.live.prices.find(offer.billedModel) ?? freePrice;
  const plain = { ...query, ...sample, requestId: '', startedS: 0, asList: false, reserved: 0, pictures: undefined };
  // The other members decide about reservation, charge and reply, not about the request.
  const [call, choice] = [plain as RelayCall, { ...offer, key, price } as ChannelChoice];
  const shown = (body: Buffer) => masked(body.toString('utf8'), key.key);
  let before = '';
  try {
    before = shown(buildUpstreamRequest(call, choice).body);
    const { body, changeHeaders } = requestByRules(deps, call, choice);
    const had = Object.fromEntries(Object.keys(key.headers).map((name) => [name, keptSecret]));
    const has = { ...had };
    changeHeaders?.(has);
    const names = new Set([...Object.keys(had), ...Object.keys(has)]);
    const headers = [...names]
      .filter((name) => had[name] !== has[name])
      .map((name) => ({ name, before: had[name] ?? null, after: has[name] ?? null }));
    const after = shown(body);
    return before === after && headers.length === 0 ? null : { before, after, headers, problem: '' };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { before, after: '', headers: [], problem: error.message };
  }
}
