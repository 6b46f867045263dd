/** Virtual models: names that stand for a chain of models. docs/routing.md has the rules. */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  dollarsPerMillion,
  isInTime,
  type RouteStep,
  type RuleEndpoint,
  type StepCondition,
  type StepFailure,
  type UserGroup,
  type VirtualStep,
} from '@relay-hub/contract';
import { splitModel } from '#chat/steering.ts';
import { textOr } from '#json.ts';
import type { Live } from '#live/live.ts';
import { byHash } from '#live/routing-table.ts';
import type { LiveVirtualModel } from '#live/virtual-models.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import type { CallChain, ChainStep } from '#relay/types/call-types.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { factsOf } from '#usage/model-facts.ts';
import { priceAt } from './offered-models.ts';

/** Facts of a call that the conditions of steps are about. */
export interface StepQuery {
  group: Pick<UserGroup, 'symbol' | 'ratio'>;
  /** The API that the caller uses; undefined: one without a name in conditions. */
  endpoint: RuleEndpoint | undefined;
  request: ParsedRequest;
  headers: IncomingHttpHeaders;
  userId: number;
  /** See `CacheConversation`. Called for steps that keep a session. */
  sessionSeed(): number | undefined;
  /** Unix seconds. */
  at: number;
}

/** A condition of a step, and whether it holds for a call. */
export interface CheckedCondition {
  condition: StepCondition;
  holds: boolean;
  /** Value that the step asks for, and that of the call; short texts without words. */
  wanted: string;
  found: string;
}

type PricedLive = Pick<Live, 'routes' | 'prices'>;

/** The conditions that a step has; those of time, price and length for the model that was drawn. */
export function conditionsOf(live: PricedLive, step: VirtualStep, model: string, query: StepQuery): CheckedCondition[] {
  const { when, max_price: most } = step;
  const { group, endpoint, request, headers } = query;
  const found: CheckedCondition[] = [];
  const add = (condition: StepCondition, holds: boolean, wanted: string, has: string): void =>
    void found.push({ condition, holds, wanted, found: has });
  if (when.groups.length > 0) add('group', when.groups.includes(group.symbol), when.groups.join(', '), group.symbol);
  if (when.endpoints.length > 0) {
    const isOne = endpoint !== undefined && when.endpoints.includes(endpoint);
    add('endpoint', isOne, when.endpoints.join(', '), endpoint ?? '');
  }
  const { tools, images } = when;
  if (tools !== 'any') add('tools', request.usesTools === (tools === 'yes'), tools, request.usesTools ? 'yes' : 'no');
  if (images !== 'any')
    add('images', request.usesImages === (images === 'yes'), images, request.usesImages ? 'yes' : 'no');
  const { prompt_from: from, prompt_to: to } = when;
  const { inputTokens } = request;
  if (from > 0 || to > 0) {
    const fits = inputTokens >= from && (to === 0 || inputTokens <= to);
    add('prompt', fits, `${from}–${to === 0 ? '∞' : to}`, String(inputTokens));
  }
  if (when.header) {
    const { name, value } = when.header;
    const sent = textOr(headers[name], '');
    add('header', sent === value, `${name}: ${value}`, sent.slice(0, 200));
  }
  if (when.time) {
    const { from: begins, to: ends, days, zone } = when.time;
    const window = { zone, from: begins, to: ends, ...(days.length > 0 && { days }) };
    const wanted = `${begins}–${ends}${days.length > 0 ? ` (${days.join(', ')})` : ''} ${zone}`;
    add('time', isInTime(window, query.at), wanted, new Date(query.at * 1000).toISOString().slice(0, 16));
  }
  if (most) {
    const price = priceOf(live, group, model);
    const isBelow = price === undefined || (price.input <= most.input && price.output <= most.output);
    add('price', isBelow, `$${most.input} / $${most.output}`, price ? `$${price.input} / $${price.output}` : '');
  }
  const { context } = step.next_on.includes('too_long') ? (factsOf(model) ?? {}) : {};
  if (context !== undefined && inputTokens > context) add('length', false, String(context), String(inputTokens));
  return found;
}

/** The dearest price of a model for a group, in dollars per million tokens; undefined: it has none by tokens. */
function priceOf(live: PricedLive, { symbol, ratio }: StepQuery['group'], model: string) {
  let dearest: { input: number; output: number } | undefined;
  for (const channel of live.routes.channelsFor(symbol, model)) {
    const price = priceAt(live, channel, model);
    if (price?.type !== 'tokens') continue;
    dearest = {
      input: Math.max(dearest?.input ?? 0, dollarsPerMillion(price.input * ratio)),
      output: Math.max(dearest?.output ?? 0, dollarsPerMillion(price.output * ratio)),
    };
  }
  return dearest;
}

/** The model that a call draws in a step. */
export function drawModel(virtual: Pick<LiveVirtualModel, 'id'>, step: VirtualStep, query: StepQuery): string {
  const { models, sticky } = step;
  const [first] = models;
  if (models.length === 1 && first) return first.model;
  const seed =
    sticky === 'none'
      ? undefined
      : ((sticky === 'session' ? query.sessionSeed() : undefined) ?? seedOf(virtual.id, query.userId));
  const entries = models.map(({ model, weight }) => ({ id: idOf(model), model, weight }));
  return byHash(entries, seed ?? Math.floor(Math.random() * 2 ** 32))?.model ?? first!.model; // at least one
}

const seedOf = (id: number, userId: number): number =>
  Number.parseInt(hash('sha256', `${id}\n${userId}`).slice(0, 8), 16);

/** By name, so that the order of the choices says nothing. */
const idOf = (model: string): number => Number.parseInt(hash('sha256', model).slice(0, 8), 16);

/** The steps of a virtual model that a call may use, in their order; empty: none. */
export function stepsFor(live: PricedLive, virtual: LiveVirtualModel, query: StepQuery): ChainStep[] {
  const steps: ChainStep[] = [];
  for (const [index, step] of virtual.steps.entries()) {
    const model = drawModel(virtual, step, query);
    if (conditionsOf(live, step, model, query).every(({ holds }) => holds))
      steps.push({ number: index + 1, model, nextOn: step.next_on });
  }
  return steps;
}

/** The steps of a virtual model for a call, and the step whose channels are explained: `chosen`, or the first usable. */
export function explainSteps(
  live: PricedLive,
  virtual: LiveVirtualModel,
  chosen: number,
  query: StepQuery,
): { model: string; virtual: { version: number; step: number; steps: RouteStep[] } } {
  const steps = virtual.steps.map((step, index): RouteStep => {
    const model = drawModel(virtual, step, query);
    const conditions = conditionsOf(live, step, model, query);
    const total = step.models.reduce((sum, { weight }) => sum + weight, 0);
    return {
      number: index + 1,
      models: step.models.map(({ model: name, weight }) => ({
        model: name,
        share: weight / total,
        served: live.routes.serves(query.group.symbol, splitModel(name).model),
      })),
      model,
      usable: conditions.every(({ holds }) => holds),
      conditions,
      next_on: step.next_on,
    };
  });
  const shown = steps.find(({ number }) => number === chosen) ?? steps.find(({ usable }) => usable) ?? steps[0]!; // at least one
  return { model: shown.model, virtual: { version: virtual.version, step: shown.number, steps } };
}

/** The chain of a call. Throws a 400 if no step is for such a call. `requestFor`: the request for a step's model. */
export function openChain(
  live: PricedLive,
  virtual: LiveVirtualModel,
  query: StepQuery,
  requestFor: CallChain['requestFor'],
): CallChain {
  const steps = stepsFor(live, virtual, query);
  const { name, version, shadow, updated_by_id: userId } = virtual;
  if (steps.length === 0)
    throw badRequest(`No step of the model '${name}' is for such a request: its conditions do not hold.`, 'model');
  return { name, version, steps, at: 0, requestFor, ...(shadow && { shadow: { ...shadow, userId } }) };
}

/** Goes on to the next step after a failure; undefined: there is none, or the step ends the chain with it. */
export function nextStep(chain: CallChain, failure: StepFailure): ChainStep | undefined {
  const { steps, at } = chain;
  if (!steps[at]?.nextOn.includes(failure)) return undefined;
  const next = steps[at + 1];
  if (next) chain.at++;
  return next;
}
