import type { ServerResponse } from 'node:http';
import type { Deps } from '#deps.ts';
import { chooseChannel, chooseNextChannel, newTried, nothingTried } from './choose-channel.ts';
import { buildUpstreamRequest } from '#relay/convert/upstream-request.ts';
import { offerOf } from './channel-offer.ts';
import { RelayError } from '#relay/routes/relay-error.ts';
import type { ShutdownState } from '#relay/call/shutdown-state.ts';
import type { ChannelChoice, PlannedAttempt, RelayCall, TriedChannels, UpstreamRequest } from '#relay/call/types.ts';

/**
 * The channel that is asked first. Throws when there is none, when the model has no price, and a 400 when what is asked
 * cannot be said in the words of any channel there is.
 */
export function planFirst(deps: Deps, call: RelayCall, body: Buffer): PlannedAttempt {
  const choice = chooseChannel(deps, call, nothingTried);
  try {
    return { choice, outgoing: buildUpstreamRequest(call, choice, body) };
  } catch (error) {
    const tried = newTried();
    tried.channels.add(choice.channel.id);
    const other = error instanceof RelayError ? planNext(deps, call, body, tried) : undefined;
    if (!other) throw error;
    return other;
  }
}

/** Another channel that can be asked; undefined when there is none. Those that cannot be asked this are `tried` after it. */
export function planNext(deps: Deps, call: RelayCall, body: Buffer, tried: TriedChannels): PlannedAttempt | undefined {
  for (;;) {
    const choice = chooseNextChannel(deps, call, tried);
    if (!choice) return undefined;
    try {
      return { choice, outgoing: buildUpstreamRequest(call, choice, body) };
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      tried.channels.add(choice.channel.id);
    }
  }
}

/** The same channel, where it can be asked in other words that lead somewhere. */
export function planFallback(call: RelayCall, choice: ChannelChoice, body: Buffer): PlannedAttempt | undefined {
  const operation = offerOf(call, choice.channel)?.operation;
  if (!operation || operation === choice.operation) return undefined;
  const again = { ...choice, operation };
  try {
    return { choice: again, outgoing: buildUpstreamRequest(call, again, body) };
  } catch (error) {
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}

/**
 * The same channel with the pictures that it has to be shown; where they cannot be had, another one that takes their
 * addresses. Undefined: there is none, or nobody waits for it any more.
 */
export async function planWithPictures(
  deps: Deps,
  call: RelayCall,
  from: PlannedAttempt,
  body: Buffer,
  tried: TriedChannels,
  response: ServerResponse,
  stopping: ShutdownState,
): Promise<PlannedAttempt | undefined> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const fetching = { index: 0, abort };
  stopping.openExchanges.add(fetching);
  response.on('close', abort);
  try {
    let ready: PlannedAttempt | undefined = from;
    while (ready && !response.destroyed && !stopping.isStopping) {
      const { choice, outgoing } = ready;
      if (!outgoing.missingPictures) return ready;
      await call.pictures!.fetch(deps, outgoing.missingPictures, controller.signal, call.claim);
      ready = replan(call, choice, body);
      if (ready) continue;
      tried.channels.add(choice.channel.id);
      ready = planNext(deps, call, body, tried);
    }
    return undefined;
  } finally {
    response.off('close', abort);
    stopping.openExchanges.delete(fetching);
  }
}

function replan(call: RelayCall, choice: ChannelChoice, body: Buffer): PlannedAttempt | undefined {
  try {
    return { choice, outgoing: buildUpstreamRequest(call, choice, body) };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    call.pictures!.refusal ??= error;
    return undefined;
  }
}
