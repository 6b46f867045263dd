import { type Usage, noUsage } from '@relay-hub/contract';
import { objectOr } from '#json.ts';
import type { ModelFacts } from '#usage/model-facts.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { lacksOutputTokens } from '#usage/zero-output.ts';
import { added, type SessionUsage, parsed, UsageCheck } from './realtime-usage.ts';

/** An audio token is 1/25 s: 1,920 bytes at 24 kHz, a third more in base64. */
const SOUND_BYTES = 2560;
/** Size of a message without content. */
const EMPTY_MESSAGE_BYTES = 120;

/**
 * Usage of a live session at Google: the sum of its turns. Each report of a turn replaces the one before, and may follow
 * its end. A turn without a report is estimated.
 */
export class LiveUsage implements SessionUsage {
  isEstimated = false;
  readonly #check: UsageCheck;
  readonly #format: UsageFormat;
  /** Turns before the current one. */
  #before: Usage = noUsage;
  /** Latest report of the current turn. */
  #turn: Usage | undefined;
  /** Whether its reports count: an upstream may report no more turns than the caller sent messages. */
  #mayReport: boolean | undefined;
  /** Estimates for the current turn. */
  #text = 0;
  #sound = 0;
  /** The current turn has ended; what comes next belongs to another one, unless it is a report. */
  #hasEnded = false;

  constructor(format: UsageFormat, facts?: ModelFacts) {
    this.#format = format;
    this.#check = new UsageCheck(facts);
  }

  get doubt() {
    return this.#check.doubt;
  }

  get reported(): Usage {
    return this.#turn ? added(this.#before, this.#turn) : this.#before;
  }

  get total(): Usage {
    return this.#turn || !this.#hasOutput ? this.reported : added(this.#before, this.#estimate);
  }

  get isUnderWay(): boolean {
    return this.#hasOutput && !this.#hasEnded;
  }

  sent(message: Buffer, isSound: boolean): void {
    this.#check.sent(message, isSound);
  }

  /** Reads an upstream message; true: it ends a turn, or reports the usage of one that has ended. */
  read(message: Buffer): boolean {
    this.#check.received(message, message.includes('"inlineData"'));
    const isReport = message.includes('"usageMetadata"');
    const isEnd = message.includes('"turnComplete"');
    if (message.includes('"modelTurn"') || message.includes('"toolCall"')) this.#output(message);
    if (!isReport && !isEnd) return false;
    const json = parsed(message);
    const usage = isReport ? this.#format.read(this.#format.find(json)) : undefined;
    if (usage && (this.#mayReport ??= this.#check.mayReport())) this.#turn = { ...this.#checked(usage), units: 1 };
    if (objectOr(json?.['serverContent'])['turnComplete'] === true) this.#hasEnded = true;
    return this.#hasEnded;
  }

  #output(message: Buffer): void {
    if (this.#hasEnded) this.#close();
    if (message.includes('"inlineData"')) this.#sound += message.length / SOUND_BYTES;
    else this.#text += Math.ceil(Math.max(4, message.length - EMPTY_MESSAGE_BYTES) / 4);
  }

  /** Counts the last turn, by its estimate if it was not reported. */
  end(): void {
    this.#close();
  }

  #close(): void {
    if (!this.#turn && this.#hasOutput) {
      this.#turn = this.#estimate;
      this.isEstimated = true;
    }
    this.#before = this.reported;
    this.#turn = undefined;
    this.#mayReport = undefined;
    this.#text = 0;
    this.#sound = 0;
    this.#hasEnded = false;
  }

  #checked(usage: Usage): Usage {
    if (!lacksOutputTokens(usage, this.#text + Math.ceil(this.#sound))) return this.#check.checked(usage);
    this.isEstimated = true;
    return { ...usage, output: this.#text, outputAudio: Math.ceil(this.#sound) };
  }

  get #hasOutput(): boolean {
    return this.#text > 0 || this.#sound > 0;
  }

  get #estimate(): Usage {
    return { ...noUsage, output: this.#text, outputAudio: Math.ceil(this.#sound), units: 1 };
  }
}
