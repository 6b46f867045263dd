import { completionTokens, inputTokens, type Usage, type UsageFinding, type UsageMark } from '@relay-hub/contract';
import type { ModelFacts } from './model-facts.ts';
import type { RequestKind } from './request-kind.ts';

/** The sizes of a call, all of them known without looking into it. docs/usage.md explains each number. */
export interface CallSizes {
  /** Bytes of the request, as it was sent. */
  sent: number;
  /** Bytes of the answer. */
  received: number;
  /** About how many tokens of the answer were visible. */
  seen: number;
  /** How many answers were asked for. */
  choices: number;
  /** The limit for all answers together; undefined: the caller named none. */
  limit: number | undefined;
  /** Of sound that was sent, how long it can be. */
  seconds: number;
  /** How many images were asked for; undefined: it is no call for images. */
  images: number | undefined;
  /** How many came. */
  imagesMade: number | undefined;
}

/** What has to be looked up or searched, and is asked for only when a usage is beyond the sizes of its call. */
export interface CallNature {
  facts: ModelFacts | undefined;
  kind(): RequestKind;
  /** The limit that the upstream was sent, for all answers together; undefined: none was. */
  sentLimit(): number | undefined;
  /** The upstream may count reasoning beside the limit, as SiliconFlow, DashScope and Volcengine do with `max_tokens`. */
  reasoningBesideLimit(): boolean;
  /** All that was written is in the bytes that were received. */
  isAllVisible(): boolean;
  /** How many texts were scored, each with the query; 1 where nothing is scored. */
  documents: number;
}

/** A usage that was in doubt, as it is charged. */
export interface CheckedUsage {
  usage: Usage;
  mark: UsageMark;
  findings: UsageFinding[];
}

/** Tokens by which vendors count beyond a limit: the end of a turn, and the frame of a call. */
const BEYOND_LIMIT = 8;
/** Hidden prompts that are too common to be worth a mark. */
const USUAL_PROMPT = 2048;
/** What a vendor can put before a prompt: system prompts of gateways, of tools and of schemas. */
const HIDDEN_PROMPT = 32_768;
/** A model that nobody knows can be an agent with documents of its own. */
const HIDDEN_OF_UNKNOWN = 131_072;
/** More than any vendor counts for a picture, in full detail. */
const MOST_OF_PICTURE = 65_536;
/** How often a vendor can read its whole context within one call, to use hosted tools. */
const MOST_TURNS = 100;
/** Marks of turns and calls in an answer that nobody sees. */
const HIDDEN_OF_ANSWER = 1024;
/** An answer that would take more than an hour at a thousand tokens a second. */
const MOST_OF_ANSWER = 4_194_304;
/** More than any model counts for an image that it makes. */
const MOST_OF_IMAGE = 131_072;
/** The least that a reranker cuts a long document into. */
const BYTES_OF_CHUNK = 254;
/** Reasoning within this is no news. */
const USUAL_REASONING = 32_768;
const MUCH_REASONING = 131_072;

/** Whether a usage is within the sizes of its call, so that nothing else has to be looked at. */
export function isWithinSizes(usage: Usage, sizes: CallSizes): boolean {
  const { sent, received, seen, limit, choices, images, imagesMade = 0 } = sizes;
  const output = completionTokens(usage);
  return (
    inputTokens(usage) <= sent + USUAL_PROMPT &&
    output <= Math.min(received, 4 * seen + 64) &&
    (limit === undefined || output <= limit + BEYOND_LIMIT * choices) &&
    usage.audioSeconds <= 1 &&
    usage.units <= 1 &&
    imagesMade <= (images ?? 0)
  );
}

/** A usage against what its call can have used; undefined: there is nothing to say against it. */
export function checkedUsage(usage: Usage, sizes: CallSizes, nature: CallNature): CheckedUsage | undefined {
  const findings: UsageFinding[] = [];
  const checked = {
    ...usage,
    ...checkInput(usage, sizes, nature, findings),
    ...checkOutput(usage, sizes, nature, findings),
    ...checkOthers(usage, sizes, nature, findings),
  };
  if (findings.length === 0) return undefined;
  const mark = findings.some(({ bound }) => bound !== 'seen') ? 'implausible' : 'unusual';
  return { usage: checked, mark, findings };
}

interface Bound {
  most: number;
  by: UsageFinding['bound'];
}

const least = (bounds: readonly (Bound | undefined)[]): Bound | undefined =>
  bounds.reduce<Bound | undefined>((low, one) => (one && (!low || one.most < low.most) ? one : low), undefined);

const inputKinds = ['input', 'cached', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'inputAudio', 'inputImage'] as const;
const outputKinds = ['output', 'outputAudio', 'outputImage', 'reasoning'] as const;

function checkInput(
  usage: Usage,
  { sent, choices }: CallSizes,
  { facts, kind, documents }: CallNature,
  findings: UsageFinding[],
): Partial<Usage> {
  const reported = inputTokens(usage);
  if (reported <= sent + USUAL_PROMPT) return {};
  const { reads, pictures } = kind();
  const searches = reads === 'tools' || facts?.searches === true;
  const isPlain = reads === 'plain' && !searches;
  // A byte is at most a token. Rerankers read the query with each document.
  const visible = (sent * documents + pictures * MOST_OF_PICTURE) * choices;
  const turns = searches ? MOST_TURNS : 1;
  const bound = least([
    facts && { most: facts.context * choices * documents * turns, by: 'context_window' },
    isPlain ? { most: visible + (facts ? HIDDEN_PROMPT : HIDDEN_OF_UNKNOWN), by: 'sent' } : undefined,
  ]);
  if (bound && reported > bound.most) {
    findings.push({ counter: 'input', reported, most: bound.most, charged: bound.most, bound: bound.by });
    return scaled(usage, inputKinds, reported, bound.most);
  }
  const usual = visible + USUAL_PROMPT;
  if (isPlain && reported > usual)
    findings.push({ counter: 'input', reported, most: usual, charged: reported, bound: 'seen' });
  return {};
}

function checkOutput(usage: Usage, sizes: CallSizes, nature: CallNature, findings: UsageFinding[]): Partial<Usage> {
  const reported = completionTokens(usage);
  const slack = BEYOND_LIMIT * sizes.choices;
  const bound = outputBound(usage, reported, sizes, nature, slack);
  if (bound && reported > bound.most + (bound.by === 'limit' ? slack : 0)) {
    findings.push({ counter: 'output', reported, most: bound.most, charged: bound.most, bound: bound.by });
    return scaled(usage, outputKinds, reported, bound.most);
  }
  const unusual = unusualOutput(usage, sizes, nature);
  if (unusual) findings.push(unusual);
  return {};
}

/** The least of the bounds that a reported output is beyond; what is expensive to know is asked for last. */
function outputBound(
  usage: Usage,
  reported: number,
  { received, choices, limit, images }: CallSizes,
  nature: CallNature,
  slack: number,
): Bound | undefined {
  const { facts } = nature;
  if (images !== undefined) return { most: images * MOST_OF_IMAGE, by: 'images_asked' };
  const ofModel: Bound = facts
    ? { most: facts.output * choices, by: 'model_output' }
    : { most: MOST_OF_ANSWER * choices, by: 'any_answer' };
  const bytes: Bound = { most: received + HIDDEN_OF_ANSWER * choices, by: 'received' };
  const isBeyondLimit = limit !== undefined && reported > limit + slack;
  if (reported <= ofModel.most && reported <= bytes.most && !isBeyondLimit) return undefined;
  const turns = turnsOf(nature);
  const sentLimit = isBeyondLimit ? nature.sentLimit() : undefined;
  const beside = sentLimit !== undefined && nature.reasoningBesideLimit() ? Math.min(usage.reasoning, ofModel.most) : 0;
  return least([
    { ...ofModel, most: ofModel.most * turns },
    sentLimit === undefined ? undefined : { most: (sentLimit + beside) * turns, by: 'limit' },
    reported > bytes.most && nature.isAllVisible() ? bytes : undefined,
  ]);
}

const turnsOf = ({ facts, kind }: CallNature): number =>
  facts?.searches === true || kind().reads === 'tools' ? MOST_TURNS : 1;

/** An answer that is possible, and far from what was visible. */
function unusualOutput(
  { output, reasoning }: Usage,
  { seen, choices }: CallSizes,
  nature: CallNature,
): UsageFinding | undefined {
  const usual =
    Math.ceil(4 * seen) + (nature.facts?.reasoning === false ? HIDDEN_OF_ANSWER : USUAL_REASONING) * choices;
  const much = MUCH_REASONING * choices;
  if ((output <= usual && reasoning <= much) || turnsOf(nature) > 1) return undefined;
  const [reported, most] = output > usual ? [output, usual] : [reasoning, much];
  return { counter: 'output', reported, most, charged: reported, bound: 'seen' };
}

function checkOthers(
  { audioSeconds, units }: Usage,
  { sent, seconds, images, imagesMade = 0 }: CallSizes,
  { documents }: CallNature,
  findings: UsageFinding[],
): Partial<Usage> {
  const changed: Partial<Usage> = {};
  if (audioSeconds > seconds) {
    changed.audioSeconds = seconds;
    findings.push({
      counter: 'seconds',
      reported: audioSeconds,
      most: seconds,
      charged: seconds,
      bound: 'sound_length',
    });
  }
  // More images than were asked for are left out of the usage already.
  if (images !== undefined) {
    if (imagesMade > images)
      findings.push({ counter: 'images', reported: imagesMade, most: images, charged: images, bound: 'images_asked' });
    return changed;
  }
  const searches = documents + Math.ceil(sent / BYTES_OF_CHUNK);
  if (units > searches) {
    changed.units = searches;
    findings.push({ counter: 'searches', reported: units, most: searches, charged: searches, bound: 'sent' });
  }
  return changed;
}

/** The same counters in the same proportions, with `most` as their sum. */
function scaled(usage: Usage, kinds: readonly (keyof Usage)[], sum: number, most: number): Partial<Usage> {
  const parts: Partial<Usage> = {};
  let left = most;
  let largest = kinds[0]!;
  for (const kind of kinds) {
    const part = Math.min(left, Math.floor((usage[kind] / sum) * most));
    parts[kind] = part;
    left -= part;
    if (usage[kind] > usage[largest]) largest = kind;
  }
  parts[largest] = (parts[largest] ?? 0) + left;
  return parts;
}
