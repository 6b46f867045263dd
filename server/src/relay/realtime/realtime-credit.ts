import { creditsFor } from '@relay-hub/contract';
import type { Book, Hold } from '#quota/book.ts';
import type { Refusal } from '#quota/leased-credits.ts';
import type { ChannelChoice, RelayCall } from '#relay/call/types.ts';
import type { RealtimeUsage } from './realtime-usage.ts';

/** The reservation of a session and the rates it is charged by. */
interface SessionReservation {
  hold: Hold;
  call: RelayCall;
  rates: ChannelChoice['rates'];
}

/** Keeps what is reserved for a session ahead of what it costs. */
export class RealtimeCredit {
  readonly #book: Book;
  readonly #hold: Hold;
  readonly #call: RelayCall;
  readonly #rates: ChannelChoice['rates'];
  readonly #usage: RealtimeUsage;
  /** What the next response may cost, judged by those before it. */
  #next: number;
  #before = 0;
  #asking = false;
  /** A response has ended since the book was asked last. */
  #ended = false;

  constructor(book: Book, { hold, call, rates }: SessionReservation, usage: RealtimeUsage) {
    this.#book = book;
    this.#hold = hold;
    this.#call = call;
    this.#rates = rates;
    this.#usage = usage;
    this.#next = Math.max(1, call.reserved);
  }

  /**
   * After a part of a response, or all of it: whose credits do not reach for more. A response that is under way may use
   * up what is reserved; another one begins only when it is covered as well.
   */
  async check(responseEnded: boolean): Promise<Refusal | undefined> {
    if (this.#rates.free) return undefined;
    if (responseEnded) {
      const cost = creditsFor(this.#rates, this.#usage.total);
      this.#next = Math.max(this.#next, cost - this.#before);
      this.#before = cost;
      this.#ended = true;
    }
    // What ends while the book is being asked is looked at when it has answered.
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
    // Some more than needed, so that not every part asks; where that is not to be had, just enough.
    return (await this.#more(needed + this.#next)) && (await this.#more(needed));
  }

  async #more(total: number): Promise<Refusal | undefined> {
    const credits = total - this.#call.reserved;
    const refusal = await this.#book.extend(this.#hold, credits);
    if (refusal === undefined) this.#call.reserved += credits;
    return refusal;
  }
}
