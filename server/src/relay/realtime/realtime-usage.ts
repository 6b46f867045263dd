import { noUsage, type Usage } from '@relay-hub/contract';
import type { ModelFacts } from '#usage/model-facts.ts';
import { type CallNature, type CallSizes, type CheckedUsage, checkedUsage } from '#usage/usage-bounds.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { contradictsText } from '#usage/zero-output.ts';

/** A token of sound is a twentieth of a second: 2400 bytes at 24 kHz, a third more in base64. */
const SOUND_BYTES = 3200;
/** An event without anything in it. */
const EMPTY_EVENT_BYTES = 250;

/** What a response reads and writes lies in the session, so that only what is known of the model bounds it. */
const sizes: CallSizes = {
  sent: 0,
  received: Infinity,
  seen: Infinity,
  choices: 1,
  limit: undefined,
  seconds: 86_400,
  images: undefined,
  imagesMade: undefined,
};
const natureOf = (facts: ModelFacts | undefined): CallNature => ({
  facts,
  kind: () => ({ reads: 'references', pictures: 0, hidesOutput: true }),
  sentLimit: () => undefined,
  reasoningBesideLimit: () => false,
  isAllVisible: () => false,
  documents: 1,
});

/** What a session has used: the sum over its responses, and a guess at the one that is under way. */
export class RealtimeUsage {
  /** Of responses that have ended. */
  reported: Usage = noUsage;
  /** Some of it was not told and is guessed. */
  isEstimated = false;
  /** The first response whose reported usage could not be. */
  doubt: Pick<CheckedUsage, 'mark' | 'findings'> | undefined;
  /** Of the response that is under way. */
  #text = 0;
  #sound = 0;
  readonly #format: UsageFormat;
  readonly #nature: CallNature;

  constructor(format: UsageFormat, facts?: ModelFacts) {
    this.#format = format;
    this.#nature = natureOf(facts);
  }

  /** Everything until now. */
  get total(): Usage {
    if (!this.isUnderWay) return this.reported;
    return added(this.reported, { ...noUsage, output: this.#text, outputAudio: Math.ceil(this.#sound), units: 1 });
  }

  get isUnderWay(): boolean {
    return this.#text > 0 || this.#sound > 0;
  }

  /** Reads an event of the upstream; true: a response has ended by it. What is no event of usage is only looked at. */
  read(event: Buffer): boolean {
    if (event.includes('"response.done"')) return this.#done(event);
    if (event.includes('audio.delta"')) this.#sound += event.length / SOUND_BYTES;
    else if (event.includes('.delta"')) this.#text += Math.ceil(Math.max(4, event.length - EMPTY_EVENT_BYTES) / 4);
    return false;
  }

  /** The session is over: what was under way is counted as it was guessed. */
  end(): void {
    if (!this.isUnderWay) return;
    this.reported = this.total;
    this.isEstimated = true;
    this.#clear();
  }

  #done(event: Buffer): boolean {
    const json = parsed(event);
    if (json?.['type'] !== 'response.done') return false;
    const usage = this.#format.read(this.#format.find(json));
    if (usage && contradictsText(usage, this.#text + Math.ceil(this.#sound))) {
      this.reported = added(this.reported, {
        ...usage,
        output: this.#text,
        outputAudio: Math.ceil(this.#sound),
        units: 1,
      });
      this.isEstimated = true;
    } else if (usage) this.reported = added(this.reported, { ...this.#checked(usage), units: 1 });
    // One that was broken off can leave its usage out.
    else this.end();
    this.#clear();
    return true;
  }

  #checked(usage: Usage): Usage {
    const checked = checkedUsage(usage, sizes, this.#nature);
    if (!checked) return usage;
    this.doubt ??= { mark: checked.mark, findings: checked.findings };
    return checked.usage;
  }

  #clear(): void {
    this.#text = 0;
    this.#sound = 0;
  }
}

function parsed(event: Buffer): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(event.toString('utf8'));
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function added(one: Usage, other: Usage): Usage {
  const sum = { ...one };
  for (const kind of Object.keys(sum) as (keyof Usage)[]) sum[kind] += other[kind];
  return sum;
}
