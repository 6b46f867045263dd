import type { IncomingHttpHeaders } from 'node:http';
import type { StepFailure } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { ChannelChoice, HttpContext, PlannedAttempt, RelayCall, TriedChannels } from '#relay/types/call-types.ts';
import { effectiveRequest, endpointOf, restoreRequest } from '#relay/convert/request-rules.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { otherThan } from '#relay/select/channel-offer.ts';
import { refuseIfFull } from './channel-room.ts';
import { aboutOf } from '#relay/upstream/address.ts';
import { nextStep, openChain } from '#relay/select/virtual-model.ts';
import { chooseChannel, chooseNextChannel, newTried, nothingTried } from '#relay/select/choose-channel.ts';

/**
 * Plans the first attempt. Throws a `RelayError` when there is no channel, when the model has no price, or when no
 * channel can express the request.
 */
export function planFirst(deps: Deps, call: RelayCall): PlannedAttempt {
  for (;;) {
    try {
      return planModel(deps, call);
    } catch (error) {
      if (!call.chain || !(error instanceof RelayError) || !enterNext(call, failureOf(error))) throw error;
    }
  }
}

/** Plans the first step after a failed one that has a channel; undefined: none does. Changes the call's request. */
export function planNextModel(deps: Deps, call: RelayCall, failure: StepFailure): PlannedAttempt | undefined {
  restoreRequest(call);
  const { chain, request } = call;
  const at = chain?.at ?? 0;
  if (!enterNext(call, failure)) return undefined;
  try {
    return planFirst(deps, call);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    // The log row is about the step that failed last.
    restoreRequest(call);
    call.request = request;
    if (chain) chain.at = at;
    return undefined;
  }
}

/** Plans the later steps of a virtual model as if they were reached, to reserve for them. The call stays unchanged. */
export function* laterSteps(deps: Deps, call: RelayCall): Generator<{ call: RelayCall; choice: ChannelChoice }> {
  const { chain } = call;
  for (const { model } of chain?.steps.slice(chain.at + 1) ?? []) {
    const { request } = call.unchanged ?? call;
    const later: RelayCall = { ...call, ...call.unchanged, unchanged: undefined, conversation: undefined };
    later.request = chain?.requestFor(request, model) ?? request;
    const planned = planNext(deps, later, newTried());
    if (planned) yield { call: later, choice: planned.choice };
  }
}

/** Gives the call the request of its next step; false: there is none. */
function enterNext(call: RelayCall, failure: StepFailure): boolean {
  restoreRequest(call);
  const { chain } = call;
  const next = chain && nextStep(chain, failure);
  if (!next) return false;
  call.request = chain.requestFor(call.request, next.model);
  // Its prompt cache is that of another model.
  call.conversation = undefined;
  return true;
}

/** A refusal before any attempt: no channel is free, or none can take such a request. */
const failureOf = ({ status }: RelayError): StepFailure => (status >= 500 || status === 429 ? 'error' : 'lacking');

/**
 * Chooses a channel for a call that keeps its model from then on, such as a task or a session: for a virtual name, that of
 * the first step with one, and a step is passed over as after a failure. `choose` throws a `RelayError` if there is none.
 */
export function chooseByStep(
  { live, now }: Pick<Deps, 'live' | 'now'>,
  call: RelayCall,
  headers: IncomingHttpHeaders,
  choose: (call: RelayCall) => ChannelChoice,
): ChannelChoice {
  const { group, request: named, caller } = call;
  const virtual = live.virtualModels.size > 0 ? live.virtualModels.get(named.model) : undefined;
  if (!virtual) return choose(call);
  const query = {
    group,
    endpoint: endpointOf(call),
    request: named,
    headers,
    userId: caller.userId,
    sessionSeed: () => undefined,
    at: now(),
  };
  const chain = openChain(live, virtual, query, (parsed, model) => ({ ...parsed, model, requestedName: virtual.name }));
  const { shadow: _, ...kept } = chain;
  for (const step of chain.steps) {
    call.request = chain.requestFor(named, step.model);
    call.chain = { ...kept, steps: [step] };
    try {
      return choose(call);
    } catch (error) {
      const isLast = step === chain.steps.at(-1);
      if (isLast || !(error instanceof RelayError) || !step.nextOn.includes(failureOf(error))) throw error;
    }
  }
  throw new Error('a chain has steps');
}

function planModel(deps: Deps, call: RelayCall): PlannedAttempt {
  const choice = chooseChannel(deps, call, nothingTried);
  refuseIfFull(deps, call, choice, nothingTried);
  try {
    return { choice, outgoing: effectiveRequest(deps, call, choice) };
  } catch (error) {
    const tried = newTried();
    tried.channels.add(choice.channel.id);
    const next = error instanceof RelayError ? planNext(deps, call, tried) : undefined;
    if (!next) throw error;
    return next;
  }
}

/** Plans an attempt at another channel; undefined: none is left. Adds channels that cannot take the request to `tried`. */
export function planNext(deps: Deps, call: RelayCall, tried: TriedChannels): PlannedAttempt | undefined {
  for (;;) {
    restoreRequest(call);
    const choice = chooseNextChannel(deps, call, tried);
    if (!choice) return undefined;
    try {
      return { choice, outgoing: effectiveRequest(deps, call, choice) };
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      tried.channels.add(choice.channel.id);
    }
  }
}

/** Plans the same channel with chats in place of `/v1/responses`, or the reverse; undefined: there is none. */
export function planFallback(deps: Deps, call: RelayCall, choice: ChannelChoice): PlannedAttempt | undefined {
  restoreRequest(call);
  const { channel, upstreamModel } = choice;
  const about = aboutOf(channel, upstreamModel);
  const declared = channel.provider.chat;
  const operation = declared && otherThan(declared, choice.operation, (one) => one.serves?.(about) ?? true);
  if (!operation) return undefined;
  return planAgain(deps, call, { ...choice, operation });
}

/** Plans the same channel and key once more; undefined: it cannot take the request any more. */
export function planAgain(deps: Deps, call: RelayCall, choice: ChannelChoice): PlannedAttempt | undefined {
  restoreRequest(call);
  try {
    return { choice, outgoing: effectiveRequest(deps, call, choice) };
  } catch (error) {
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}

/**
 * Fetches the pictures that a channel needs as bytes and plans it again; where they cannot be had, plans a channel that
 * takes URLs. Undefined: there is none, or the caller has left.
 */
export async function planWithPictures(
  { deps, response, shutdown }: HttpContext,
  call: RelayCall,
  from: PlannedAttempt,
  tried: TriedChannels,
): Promise<PlannedAttempt | undefined> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const fetching = { index: 0, abort };
  shutdown.openExchanges.add(fetching);
  response.on('close', abort);
  try {
    let plan: PlannedAttempt | undefined = from;
    while (plan && !response.destroyed && !shutdown.isStopping) {
      const { choice, outgoing } = plan;
      if (!outgoing.missingPictures) return plan;
      await call.pictures?.fetch(deps, outgoing.missingPictures, controller.signal, call.claim);
      plan = replan(deps, call, choice);
      if (plan) continue;
      tried.channels.add(choice.channel.id);
      plan = planNext(deps, call, tried);
    }
    return undefined;
  } finally {
    response.off('close', abort);
    shutdown.openExchanges.delete(fetching);
  }
}

function replan(deps: Deps, call: RelayCall, choice: ChannelChoice): PlannedAttempt | undefined {
  try {
    return { choice, outgoing: effectiveRequest(deps, call, choice) };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    if (call.pictures) call.pictures.refusal ??= error;
    return undefined;
  }
}
