import { completionTokens, inputTokens, type Usage, type UsageFinding, type UsageMark } from '@relay-hub/contract';
import type { ModelFacts } from './model-facts.ts';
import type { RequestKind } from './request-kind.ts';

/** Sizes of a call that are known without parsing it. docs/usage.md explains each number. */
export interface CallSizes {
  /** Request bytes. */
  sent: number;
  /** Reply bytes. */
  received: number;
  /** Estimated visible tokens of the reply. */
  seen: number;
  /** Number of requested answers. */
  choices: number;
  /** Output limit over all answers; undefined if the caller set none. */
  limit: number | undefined;
  /** Upper bound of the sent audio's duration in seconds. */
  seconds: number;
  /** Number of requested images; undefined unless it is an image call. */
  images: number | undefined;
  /** Number of images received. */
  imagesMade: number | undefined;
}

/** Facts that are expensive to determine, so they are read only for a usage beyond the sizes. */
export interface CallNature {
  facts: ModelFacts | undefined;
  kind(): RequestKind;
  /** Output limit sent upstream, over all answers; undefined if none. */
  sentLimit(): number | undefined;
  /**
   * The upstream may count reasoning outside the limit, as SiliconFlow, DashScope and Volcengine do with `max_tokens`.
   */
  reasoningBesideLimit(): boolean;
  /** Whether all output is contained in the received bytes. */
  isAllVisible(): boolean;
  /** Number of scored texts; 1 if nothing is scored. */
  documents: number;
}

/** The usage to charge instead of a doubtful one. */
export interface CheckedUsage {
  usage: Usage;
  mark: UsageMark;
  findings: UsageFinding[];
}

/** Tokens by which vendors exceed a limit: end of turn and call framing. */
const BEYOND_LIMIT = 8;
/** Hidden prompts of this size are common and not reported. */
const USUAL_PROMPT = 2048;
/** Hidden prompts that a vendor may add: system prompts of gateways, tools and schemas. */
const HIDDEN_PROMPT = 32_768;
/** Unknown models may be agents that add documents. */
const HIDDEN_OF_UNKNOWN = 131_072;
/** Upper bound per picture, in full detail. */
const MOST_OF_PICTURE = 65_536;
/** Upper bound of turns within one call with hosted tools. */
const MOST_TURNS = 100;
/** Invisible markers of turns and calls in a reply. */
const HIDDEN_OF_ANSWER = 1024;
/** More than an hour at a thousand tokens per second. */
const MOST_OF_ANSWER = 4_194_304;
/** Upper bound per generated image. */
export const MOST_OF_IMAGE = 131_072;
/** Minimum chunk size of rerankers for long documents. */
const BYTES_OF_CHUNK = 254;
/** Reasoning up to this amount is usual. */
const USUAL_REASONING = 32_768;
const MUCH_REASONING = 131_072;

/** Whether a usage is within the sizes of its call, so that no further check is needed. */
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

/** Checks a usage against the maximum for its call; undefined if it is plausible. */
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

const inputKinds = [
  'input',
  'cached',
  'cachedAudio',
  'cachedImage',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'inputAudio',
  'inputImage',
] as const;
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
  // A byte is at most one token. Rerankers read the query with each document.
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
  const bound = outputBound({ usage, reported, slack }, sizes, nature);
  if (bound && reported > bound.most + (bound.by === 'limit' ? slack : 0)) {
    findings.push({ counter: 'output', reported, most: bound.most, charged: bound.most, bound: bound.by });
    return scaled(usage, outputKinds, reported, bound.most);
  }
  const unusual = unusualOutput(usage, sizes, nature);
  if (unusual) findings.push(unusual);
  return {};
}

/** The lowest bound that the reported output exceeds; expensive facts are read last. */
function outputBound(
  { usage, reported, slack }: { usage: Usage; reported: number; slack: number },
  { received, choices, limit, images }: CallSizes,
  nature: CallNature,
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

/** Whether the output is possible but far above the visible text. */
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
  // Excess images are not part of the usage already.
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

/** A usage of another model that worked for a call, cut to what its answers or images can have. */
export function withinMost(usage: Usage, uses: number, facts: ModelFacts | undefined, perUse: number): Usage {
  const [input, output] = [inputTokens(usage), completionTokens(usage)];
  const mostInput = uses * (facts?.context ?? MOST_OF_ANSWER);
  const mostOutput = uses * (facts ? Math.min(perUse, facts.output) + BEYOND_LIMIT : perUse);
  return {
    ...usage,
    ...(input > mostInput && scaled(usage, inputKinds, input, mostInput)),
    ...(output > mostOutput && scaled(usage, outputKinds, output, mostOutput)),
  };
}

/** Scales the counters in proportion, so that their sum is `most`. */
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
