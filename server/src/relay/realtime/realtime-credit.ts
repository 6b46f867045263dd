import { creditsFor } from '@relay-hub/contract';
import type { Book, Hold, Refusal } from '#quota/book.ts';
import type { ChannelChoice, RelayCall } from '#relay/types/call-types.ts';
import type { SessionUsage } from './realtime-usage.ts';

/** The reservation of a session and the rates it is charged by. */
interface SessionReservation {
  hold: Hold;
  call: RelayCall;
  rates: ChannelChoice['rates'];
}

/** Keeps a session's reservation ahead of its cost. */
export class RealtimeCredit {
  readonly #book: Book;
  readonly #hold: Hold;
  readonly #call: RelayCall;
  readonly #rates: ChannelChoice['rates'];
  readonly #usage: Pick<SessionUsage, 'total'>;
  /** Highest cost of a response so far, expected of the next one. */
  #next: number;
  #before = 0;
  #asking = false;
  /** A response has ended since the last check. */
  #ended = false;

  constructor(book: Book, { hold, call, rates }: SessionReservation, usage: Pick<SessionUsage, 'total'>) {
    this.#book = book;
    this.#hold = hold;
    this.#call = call;
    this.#rates = rates;
    this.#usage = usage;
    this.#next = Math.max(1, call.reserved);
  }

  /**
   * Extends the reservation after part of a response or all of it. Returns which account or budget is insufficient: the
   * current response may use up the reservation, the next one must be covered too.
   */
  async check(responseEnded: boolean): Promise<Refusal | undefined> {
    if (this.#rates.free) return undefined;
    if (responseEnded) {
      const cost = creditsFor(this.#rates, this.#usage.total);
      this.#next = Math.max(this.#next, cost - this.#before);
      this.#before = cost;
      this.#ended = true;
    }
    // A response that ends meanwhile is checked by the loop below.
    if (this.#asking) return undefined;
    this.#asking = true;
    try {
      let refusal: Refusal | undefined;
      do refusal = await this.#cover();
      while (refusal === undefined && this.#ended);
      return refusal;
    } finally {
      this.#asking = false;
    }
  }

  async #cover(): Promise<Refusal | undefined> {
    const cost = creditsFor(this.#rates, this.#usage.total);
    const needed = this.#ended ? cost + this.#next : cost;
    this.#ended = false;
    if (needed <= this.#call.reserved) return undefined;
    // Reserves more than needed so that not every check has to ask; if refused, just enough.
    return (await this.#more(needed + this.#next)) && (await this.#more(needed));
  }

  async #more(total: number): Promise<Refusal | undefined> {
    const credits = total - this.#call.reserved;
    const refusal = await this.#book.extend(this.#hold, credits);
    if (refusal === undefined) this.#call.reserved += credits;
    return refusal;
  }
}
