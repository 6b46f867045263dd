import type { ChatEvent, Signature } from '../chat.ts';
import { JsonWholeness } from '../json-wholeness.ts';
import { newCallId } from '../tool-calls.ts';

interface Call {
  /** The vendor's number of the call. */
  at: number;
  id: string;
  name: string;
  signature: Signature | undefined;
}

interface OpenCall extends Call {
  /** Ours. */
  index: number;
  whole: JsonWholeness;
}

interface WaitingCall extends Call {
  json: string;
}

/** So much of the calls that wait is kept. */
const MOST_KEPT = 4 * 1024 * 1024;

/**
 * Tells calls one after the other, whole each, though a vendor may send pieces of several in turns: what comes of the next
 * one while the first is not whole has to wait.
 */
export class CallsInTurn {
  readonly #emit: (event: ChatEvent) => void;
  readonly #waiting: WaitingCall[] = [];
  #open: OpenCall | undefined;
  #kept = 0;
  /** How many were told. */
  count = 0;

  constructor(emit: (event: ChatEvent) => void) {
    this.#emit = emit;
  }

  /** The call that was begun last, or the last one of this number. */
  last(at?: number): { at: number; id: string } | undefined {
    const numbered = at === undefined ? undefined : this.#waiting.findLast((call) => call.at === at);
    if (numbered) return numbered;
    if (at === undefined) return this.#waiting.at(-1) ?? this.#open;
    return this.#open?.at === at ? this.#open : undefined;
  }

  begin(at: number, id: string, name: string, signature: Signature | undefined): void {
    const call = { at, id: id || newCallId(), name, signature };
    const first = this.#open;
    // Whoever gives a number twice is done with the first of that number.
    if (first && this.#waiting.length === 0 && (first.at === at || first.whole.whole)) this.#end();
    if (this.#open) this.#waiting.push({ ...call, json: '' });
    else this.#start(call);
  }

  /** A piece of a call's arguments; false where there is no such call, or too much of what has to wait. */
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

  /** Nothing more comes. */
  end(): void {
    while (this.#waiting.length > 0) this.#next();
    this.#end();
  }

  #next(): void {
    this.#end();
    const { json, ...call } = this.#waiting.shift()!; // asked only while there is one
    this.#kept -= json.length;
    const open = this.#start(call);
    if (json !== '') this.#tell(open, json);
  }

  #start(call: Call): OpenCall {
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
