import type { Deps } from '#deps.ts';
import { Outage } from '#db/outage.ts';
import type { Hold, Refusal } from '#quota/book.ts';
import { countedInput } from './estimate.ts';
import { outputFor, textCredits } from './reservation.ts';
import type { ChannelChoice, RelayCall } from '#relay/types/call-types.ts';
import type { OutputCredit } from '#relay/types/stream-types.ts';

/** Estimates of visible text differ from a tokenizer's count by up to a quarter. */
const MARGIN = 1.25;
const SMALLEST_STEP = 256;

/**
 * Keeps the reservation of a stream ahead of the delivered output, mostly from the credits leased to this node.
 * Undefined for calls whose reservation does not grow.
 */
export function streamCreditFor(
  { book, log }: Pick<Deps, 'book' | 'log'>,
  call: RelayCall,
  hold: Hold,
  choice: ChannelChoice,
): StreamCredit | undefined {
  const growsTo = call.reservation?.growsTo;
  return growsTo === undefined ? undefined : new StreamCredit({ book, log }, { call, hold, choice, growsTo });
}

interface GrowingCall {
  call: RelayCall;
  hold: Hold;
  choice: Pick<ChannelChoice, 'rates' | 'channel' | 'options'>;
  growsTo: number;
}

export class StreamCredit implements OutputCredit {
  readonly #deps: Pick<Deps, 'book' | 'log'>;
  readonly #growing: GrowingCall;
  readonly #input: number;
  /** Output tokens that the reservation covers. */
  #covered: number;

  constructor(deps: Pick<Deps, 'book' | 'log'>, growing: GrowingCall) {
    this.#deps = deps;
    this.#growing = growing;
    const { call, choice, growsTo } = growing;
    this.#input = countedInput(call.request, choice.channel.preCost);
    this.#covered = outputFor(
      { rates: choice.rates, input: this.#input, options: choice.options },
      call.reserved,
      growsTo,
    );
  }

  cover(tokens: number): true | Promise<Refusal | undefined> {
    const { growsTo } = this.#growing;
    const needed = Math.ceil(tokens * MARGIN);
    if (needed <= this.#covered || this.#covered >= growsTo) return true;
    const most = Math.min(growsTo, needed + Math.max(SMALLEST_STEP, this.#covered));
    return this.#takeNow(most) || this.#ask(Math.min(growsTo, needed), most);
  }

  stop(): void {
    this.#covered = Infinity;
  }

  /** Credits that are missing for `output` tokens. */
  #missing(output: number): number {
    const { call, choice } = this.#growing;
    return Math.max(0, textCredits(choice.rates, this.#input, output, choice.options) - call.reserved);
  }

  #takeNow(output: number): boolean {
    const { call, hold } = this.#growing;
    const credits = this.#missing(output);
    if (credits > 0 && !this.#deps.book.extendNow(hold, credits)) return false;
    call.reserved += credits;
    this.#covered = output;
    return true;
  }

  async #ask(least: number, most: number): Promise<Refusal | undefined> {
    const { book, log } = this.#deps;
    const { call, hold } = this.#growing;
    let refusal: Refusal | undefined;
    try {
      for (const output of most > least ? [most, least] : [least]) {
        const credits = this.#missing(output);
        refusal = await book.extend(hold, credits);
        if (refusal !== undefined) continue;
        call.reserved += credits;
        this.#covered = output;
        break;
      }
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      // Callers keep their streams while the database does not respond; the next read asks again.
      log.warn({ request: call.requestId }, 'a stream continues without a reservation: the database does not respond');
    }
    return refusal;
  }
}
