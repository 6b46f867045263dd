import type { ChatEvent, Signature } from '../chat.ts';
import { JsonWholeness } from '../json-wholeness.ts';
import { newCallId } from '../tool-calls.ts';

interface BufferedCall {
  /** The vendor's index. */
  at: number;
  id: string;
  name: string;
  signature: Signature | undefined;
}

interface OpenCall extends BufferedCall {
  /** The neutral index. */
  index: number;
  whole: JsonWholeness;
}

interface WaitingCall extends BufferedCall {
  json: string;
}

/** Limit for the buffered calls, in bytes. */
const MOST_KEPT = 4 * 1024 * 1024;

/**
 * Emits calls one after the other, although a vendor may interleave their pieces: a later call is buffered until the
 * current one is complete.
 */
export class CallsInTurn {
  readonly #emit: (event: ChatEvent) => void;
  readonly #waiting: WaitingCall[] = [];
  #open: OpenCall | undefined;
  #kept = 0;
  /** Number of calls emitted. */
  count = 0;

  constructor(emit: (event: ChatEvent) => void) {
    this.#emit = emit;
  }

  /** The most recent call, or the most recent of this index. */
  last(at?: number): { at: number; id: string } | undefined {
    const numbered = at === undefined ? undefined : this.#waiting.findLast((call) => call.at === at);
    if (numbered) return numbered;
    if (at === undefined) return this.#waiting.at(-1) ?? this.#open;
    return this.#open?.at === at ? this.#open : undefined;
  }

  begin(at: number, id: string, name: string, signature: Signature | undefined): void {
    const call = { at, id: id || newCallId(), name, signature };
    const first = this.#open;
    // A repeated index ends the earlier call of that index.
    if (first && this.#waiting.length === 0 && (first.at === at || first.whole.whole)) this.#end();
    if (this.#open) this.#waiting.push({ ...call, json: '' });
    else this.#start(call);
  }

  /** Adds a piece of arguments; false for an unknown call or beyond the buffer limit. */
  add(at: number, json: string): boolean {
    const waiting = this.#waiting.findLast((call) => call.at === at);
    if (waiting) {
      waiting.json += json;
      this.#kept += json.length;
      return this.#kept <= MOST_KEPT;
    }
    if (this.#open?.at !== at) return false;
    this.#tell(this.#open, json);
    while (this.#waiting.length > 0 && this.#open?.whole.whole) this.#next();
    return true;
  }

  /** No more pieces follow. */
  end(): void {
    while (this.#waiting.length > 0) this.#next();
    this.#end();
  }

  #next(): void {
    this.#end();
    const next = this.#waiting.shift();
    if (!next) return;
    const { json, ...call } = next;
    this.#kept -= json.length;
    const open = this.#start(call);
    if (json !== '') this.#tell(open, json);
  }

  #start(call: BufferedCall): OpenCall {
    const { id, name, signature } = call;
    const open = { ...call, index: this.count++, whole: new JsonWholeness() };
    this.#open = open;
    this.#emit({ type: 'tool_start', index: open.index, id, name, signature });
    return open;
  }

  #tell(call: OpenCall, json: string): void {
    call.whole.add(json);
    this.#emit({ type: 'tool_arguments', index: call.index, json });
  }

  #end(): void {
    if (this.#open) this.#emit({ type: 'tool_end', index: this.#open.index });
    this.#open = undefined;
  }
}
