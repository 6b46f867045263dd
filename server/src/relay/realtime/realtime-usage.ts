import { noUsage, type Usage } from '@relay-hub/contract';
import { isObject } from '#json.ts';
import type { ModelFacts } from '#usage/model-facts.ts';
import { type CallNature, type CallSizes, type CheckedUsage, checkedUsage } from '#usage/usage-bounds.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { lacksOutputTokens } from '#usage/zero-output.ts';

/** An audio token is 1/20 s: 2,400 bytes at 24 kHz, a third more in base64. */
const SOUND_BYTES = 3200;
/** Size of an event without content. */
const EMPTY_EVENT_BYTES = 250;

/** The least bytes of an audio token that is sent: 1/10 s in G.711 and base64, or 1/25 s in PCM at 16 kHz. */
const LEAST_SENT_SOUND = 1000;
/** The same of one that is received: 1/20 s in G.711 and base64. */
const LEAST_RECEIVED_SOUND = 500;
/** No known model for sessions can do more. */
const mostOfUnknown: ModelFacts = { context: 1_048_576, output: 65_536 };
/** Signs of what a model reads in addition to the messages of its session. */
const elsewhere =
  /mcp|server_url|connector_id|"prompt"|image_url|oogle_?[Ss]earch|rl_?[Cc]ontext|ode_?[Ee]xecution|ession_?[Rr]esumption|\\u00/;

/** Usage of a session, as its messages report it. */
export interface SessionUsage {
  /** Usage of completed responses. */
  readonly reported: Usage;
  /** Usage so far, including responses in progress. */
  readonly total: Usage;
  /** Part of it was not reported but estimated. */
  readonly isEstimated: boolean;
  /** The first implausible report. */
  readonly doubt: UsageDoubt | undefined;
  readonly isUnderWay: boolean;
  /** Notes a message of the caller. */
  sent(message: Buffer, isSound: boolean): void;
  /** Reads an upstream message; true: it ends a response. */
  read(message: Buffer): boolean;
  /** Counts an unfinished response by its estimate. */
  end(): void;
}

type UsageDoubt = Pick<CheckedUsage, 'mark' | 'findings'>;

/** Limits reports to what the model can have used: each response reads the whole session. */
export class UsageCheck {
  /** The first implausible report. */
  doubt: UsageDoubt | undefined;
  readonly #nature: CallNature;
  /** Tokens that all messages so far can be, at most. */
  #most = 0;
  #readsElsewhere = false;
  #messages = 0;
  #reports = 0;

  constructor(facts: ModelFacts = mostOfUnknown) {
    this.#nature = {
      facts,
      kind: () => ({ reads: this.#readsElsewhere ? 'references' : 'plain', pictures: 0, hidesOutput: true }),
      sentLimit: () => undefined,
      reasoningBesideLimit: () => false,
      isAllVisible: () => false,
      documents: 1,
    };
  }

  sent(message: Buffer, isSound: boolean): void {
    this.#messages++;
    this.#most += isSound ? Math.ceil(message.length / LEAST_SENT_SOUND) : message.length;
    if (!isSound) this.#readsElsewhere ||= elsewhere.test(message.toString('latin1'));
  }

  received(message: Buffer, isSound: boolean): void {
    this.#most += isSound ? Math.ceil(message.length / LEAST_RECEIVED_SOUND) : message.length;
  }

  /** Whether another response can have ended: the caller's messages cause them. */
  mayReport(): boolean {
    return ++this.#reports <= this.#messages;
  }

  checked(usage: Usage): Usage {
    const sizes: CallSizes = {
      sent: this.#most,
      received: Infinity,
      seen: Infinity,
      choices: 1,
      limit: undefined,
      seconds: 86_400,
      images: undefined,
      imagesMade: undefined,
    };
    const checked = checkedUsage(usage, sizes, this.#nature);
    if (!checked) return usage;
    this.doubt ??= { mark: checked.mark, findings: checked.findings };
    return checked.usage;
  }
}

/** Usage of a session: the sum of its responses, and an estimate for the current one. */
export class RealtimeUsage implements SessionUsage {
  /** Responses that were asked for, and have not ended. */
  awaited = 0;
  /** Usage of finished responses. */
  reported: Usage = noUsage;
  /** Part of it was not reported but estimated. */
  isEstimated = false;
  /** Estimates for the current response. */
  #text = 0;
  #sound = 0;
  readonly #format: UsageFormat;
  readonly #check: UsageCheck;

  constructor(format: UsageFormat, facts?: ModelFacts) {
    this.#format = format;
    this.#check = new UsageCheck(facts);
  }

  get doubt(): UsageDoubt | undefined {
    return this.#check.doubt;
  }

  /** Usage so far, with the current response. */
  get total(): Usage {
    if (!this.isUnderWay) return this.reported;
    return added(this.reported, { ...noUsage, output: this.#text, outputAudio: Math.ceil(this.#sound), units: 1 });
  }

  get isUnderWay(): boolean {
    return this.#text > 0 || this.#sound > 0;
  }

  sent(event: Buffer, isSound: boolean): void {
    this.#check.sent(event, isSound);
  }

  /** Reads an upstream event; true: it ends a response. */
  read(event: Buffer): boolean {
    if (event.includes('"response.done"')) return this.#done(event);
    // One that the upstream refused.
    if (event.includes('"error"') && parsed(event)?.['type'] === 'error') this.#ended();
    const isSound = event.includes('audio.delta"');
    this.#check.received(event, isSound);
    if (isSound) this.#sound += event.length / SOUND_BYTES;
    else if (event.includes('.delta"')) this.#text += Math.ceil(Math.max(4, event.length - EMPTY_EVENT_BYTES) / 4);
    return false;
  }

  /** Counts an unfinished response by its estimate. */
  end(): void {
    if (!this.isUnderWay) return;
    this.reported = this.total;
    this.isEstimated = true;
    this.#clear();
  }

  #done(event: Buffer): boolean {
    const json = parsed(event);
    if (json?.['type'] !== 'response.done') return false;
    this.#ended();
    const usage = this.#check.mayReport() ? this.#format.read(this.#format.find(json)) : undefined;
    if (usage && lacksOutputTokens(usage, this.#text + Math.ceil(this.#sound))) {
      this.reported = added(this.reported, {
        ...usage,
        output: this.#text,
        outputAudio: Math.ceil(this.#sound),
        units: 1,
      });
      this.isEstimated = true;
    } else if (usage) this.reported = added(this.reported, { ...this.#check.checked(usage), units: 1 });
    // A cancelled response may lack its usage.
    else this.end();
    this.#clear();
    return true;
  }

  /** Responses may also begin by themselves. */
  #ended(): void {
    this.awaited = Math.max(0, this.awaited - 1);
  }

  #clear(): void {
    this.#text = 0;
    this.#sound = 0;
  }
}

/** A message that is a JSON object; undefined: another one. */
export function parsed(event: Buffer): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(event.toString('utf8'));
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

export function added(one: Usage, other: Usage): Usage {
  const sum = { ...one };
  for (const kind of Object.keys(sum) as (keyof Usage)[]) sum[kind] += other[kind];
  return sum;
}
