import type { ServerResponse } from 'node:http';
import type { Deps } from '#deps.ts';
import type { Admitted } from '#relay/call/attempts.ts';
import { type Choice, choose, chooseOther, newTried, nothingTried, type Tried } from './choose.ts';
import { type Exchange, exchangeFor } from '#relay/convert/exchange.ts';
import { offerOf } from './offer.ts';
import { RelayError } from '#relay/routes/relay-error.ts';
import type { Stopping } from '#relay/call/stopping.ts';

/** A channel, and what it is asked in its own words. */
export interface Ready {
  choice: Choice;
  exchange: Exchange;
}

/**
 * The channel that is asked first. Throws when there is none, when the model has no price, and a 400 when what is asked
 * cannot be said in the words of any channel there is.
 */
export function firstReady(deps: Deps, call: Admitted, body: Buffer): Ready {
  const choice = choose(deps, call, nothingTried);
  try {
    return { choice, exchange: exchangeFor(call, choice, body) };
  } catch (error) {
    const tried = newTried();
    tried.channels.add(choice.channel.id);
    const other = error instanceof RelayError ? otherReady(deps, call, body, tried) : undefined;
    if (!other) throw error;
    return other;
  }
}

/** Another channel that can be asked; undefined when there is none. Those that cannot be asked this are `tried` after it. */
export function otherReady(deps: Deps, call: Admitted, body: Buffer, tried: Tried): Ready | undefined {
  for (;;) {
    const choice = chooseOther(deps, call, tried);
    if (!choice) return undefined;
    try {
      return { choice, exchange: exchangeFor(call, choice, body) };
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      tried.channels.add(choice.channel.id);
    }
  }
}

/** The same channel, where it can be asked in other words that lead somewhere. */
export function otherWay(call: Admitted, choice: Choice, body: Buffer): Ready | undefined {
  const operation = offerOf(call, choice.channel)?.operation;
  if (!operation || operation === choice.operation) return undefined;
  const again = { ...choice, operation };
  try {
    return { choice: again, exchange: exchangeFor(call, again, body) };
  } catch (error) {
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}

/**
 * The same channel with the pictures that it has to be shown; where they cannot be had, another one that takes their
 * addresses. Undefined: there is none, or nobody waits for it any more.
 */
export async function withPictures(
  deps: Deps,
  call: Admitted,
  from: Ready,
  body: Buffer,
  tried: Tried,
  response: ServerResponse,
  stopping: Stopping,
): Promise<Ready | undefined> {
  const over = new AbortController();
  const breakOff = () => over.abort();
  const fetching = { place: 0, breakOff };
  stopping.open.add(fetching);
  response.on('close', breakOff);
  try {
    let ready: Ready | undefined = from;
    while (ready && !response.destroyed && !stopping.now) {
      const { choice, exchange } = ready;
      if (!exchange.unseen) return ready;
      await call.pictures!.fetch(deps, exchange.unseen, over.signal, call.claim);
      ready = sameReady(call, choice, body);
      if (ready) continue;
      tried.channels.add(choice.channel.id);
      ready = otherReady(deps, call, body, tried);
    }
    return undefined;
  } finally {
    response.off('close', breakOff);
    stopping.open.delete(fetching);
  }
}

function sameReady(call: Admitted, choice: Choice, body: Buffer): Ready | undefined {
  try {
    return { choice, exchange: exchangeFor(call, choice, body) };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    call.pictures!.refusal ??= error;
    return undefined;
  }
}
