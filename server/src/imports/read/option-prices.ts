import type { ExtraRatios } from '@relay-hub/contract';
import { mapIn } from './read-groups.ts';
import type { OldWorld } from './old-world.ts';
import { type ArrivingPrice, exact } from './arriving-price.ts';
import { newApiRatios } from './new-api-ratios.ts';
import { oneApiRatios } from './one-api-ratios.ts';
import { tieredPrice } from './tiered-price.ts';

type Ratios = ReadonlyMap<string, number>;

/** The prices of one-api and new-api, from settings that hold one map each. */
export function optionPrices({
  options,
  program,
  report,
}: Pick<OldWorld, 'options' | 'program' | 'report'>): ArrivingPrice[] {
  const map = (name: string): Ratios => numbersIn(options.get(name));
  const isNew = program === 'new-api';
  const unit = Number(options.get('QuotaPerUnit') ?? 500_000) || 500_000;
  if (isNew)
    for (const name of ['ModelRatio', 'ModelPrice']) if (!options.has(name)) report.remark('price_compiled', name);
  if (options.has('tool_price_setting.prices'))
    report.remark('price_differs', 'tool_price_setting.prices: the fees of tools are those of the prices here');
  // One-api adds its own ratios to the saved ones.
  const saved = map('ModelRatio');
  const input: Ratios = !isNew
    ? new Map([...oneApiRatios, ...saved])
    : options.has('ModelRatio')
      ? saved
      : newApiRatios;
  const completion = isNew && !options.has('CompletionRatio') ? compiledCompletion : map('CompletionRatio');
  const perCall = !isNew ? new Map<string, number>() : options.has('ModelPrice') ? map('ModelPrice') : compiledCalls;
  const extras = {
    cache: options.has('CacheRatio') || !isNew ? named(map('CacheRatio')) : compiledCache,
    create: named(map('CreateCacheRatio')),
    image: named(isNew && !options.has('ImageRatio') ? compiledImage : map('ImageRatio')),
    audio: named(isNew && !options.has('AudioRatio') ? compiledAudio : map('AudioRatio')),
    audioOut: named(isNew && !options.has('AudioCompletionRatio') ? compiledAudioOut : map('AudioCompletionRatio')),
  };
  const tiers = mapIn(options.get('billing_setting.billing_expr')) ?? {};
  const modes = mapIn(options.get('billing_setting.billing_mode')) ?? {};
  const names = new Set([...input.keys(), ...perCall.keys(), ...Object.keys(tiers)]);
  const prices: ArrivingPrice[] = [];
  for (const model of names) {
    if (/\(\d+\)$/.test(model)) {
      report.remark('price_differs', `${model}: a price of one channel type`);
      continue;
    }
    const expression = tiers[model];
    if (modes[model] === 'tiered_expr' && typeof expression === 'string') {
      const { price, isExact } = tieredPrice(expression, unit);
      if (!isExact) report.remark('price_differs', `${model}: ${expression.slice(0, 200)}`);
      if (price) prices.push({ model, channel_type: 0, ...price });
      continue;
    }
    const call = perCall.get(model);
    if (call !== undefined) {
      const times = exact((call * unit) / 1000);
      prices.push({ model, type: 'times', channel_type: 0, input: times, output: times, extra_ratios: {} });
      continue;
    }
    const base = input.get(model);
    if (base === undefined) continue;
    const factor = completionOf(model, completion, isNew);
    prices.push({
      model,
      type: 'tokens',
      channel_type: 0,
      input: base,
      output: exact(base * factor),
      extra_ratios: extrasOf(model, factor, extras),
    });
  }
  return prices;
}

function extrasOf(
  model: string,
  factor: number,
  { cache, create, image, audio, audioOut }: Record<'cache' | 'create' | 'image' | 'audio' | 'audioOut', RatioOf>,
): ExtraRatios {
  // Cached tokens cost the full price where no ratio is given.
  const cached = cache(model) ?? 1;
  const written = create(model) ?? 1.25;
  const heard = audio(model) ?? 1;
  return {
    cached_tokens_ratio: cached,
    cached_read_ratio: cached,
    cached_write_ratio: written,
    cached_write_1h_ratio: exact(written * 1.6),
    input_image_tokens_ratio: image(model) ?? 1,
    input_audio_tokens_ratio: heard,
    // Theirs is a multiple of the input, ours of the output.
    output_audio_tokens_ratio: factor === 0 ? 1 : exact((heard * (audioOut(model) ?? 1)) / factor),
    reasoning_tokens_ratio: 1,
    output_image_tokens_ratio: 1,
  };
}

type RatioOf = (model: string) => number | undefined;

const named =
  (ratios: Ratios): RatioOf =>
  (model) =>
    ratios.get(model);

/** New-api's prices per call in USD until others are saved. */
const compiledCalls: Ratios = new Map([
  ['suno_music', 0.1],
  ['suno_lyrics', 0.01],
  ['dall-e-3', 0.04],
  ['gpt-4-gizmo-*', 0.1],
  ['veo-3.0-generate-001', 0.4],
  ['veo-3.0-fast-generate-001', 0.15],
  ['veo-3.1-generate-preview', 0.4],
  ['veo-3.1-fast-generate-preview', 0.15],
  ['imagen-3.0-generate-002', 0.03],
  ['black-forest-labs/flux-1.1-pro', 0.04],
  ['sora-2', 0.3],
  ['sora-2-pro', 0.5],
  ['gpt-4o-mini-tts', 0.3],
  ['mj_video', 0.8],
  ['swap_face', 0.05],
  ...['describe', 'upscale', 'upload'].map((action) => [`mj_${action}`, 0.05] as const),
  ...['inpaint', 'custom_zoom'].map((action) => [`mj_${action}`, 0] as const),
  ...[
    'imagine',
    'edits',
    'variation',
    'reroll',
    'blend',
    'modal',
    'zoom',
    'shorten',
    'pan',
    'high_variation',
    'low_variation',
  ].map((action) => [`mj_${action}`, 0.1] as const),
]);

/** Likewise its ratios of pictures and sound, the latter of the output as a multiple of that of the input. */
const compiledImage: Ratios = new Map([['gpt-image-1', 2]]);
const compiledAudio: Ratios = new Map([
  ['gpt-4o-audio-preview', 16],
  ['gpt-4o-mini-audio-preview', 66.67],
  ['gpt-4o-realtime-preview', 8],
  ['gpt-4o-mini-realtime-preview', 16.67],
  ['gpt-4o-mini-tts', 25],
]);
const compiledAudioOut: Ratios = new Map([
  ['gpt-4o-realtime', 2],
  ['gpt-4o-mini-realtime', 2],
  ['gpt-4o-mini-tts', 1],
]);

/** New-api's ratios of cached tokens until others are saved. */
const compiledCacheRules: readonly { name: RegExp; ratio: number }[] = [
  { name: /^(gpt-4|gpt-4o(-mini)?(-realtime.*|-\d{4}-\d\d-\d\d)?|o1(-.*)?|o3-mini.*|gpt-4\.5-preview.*)$/, ratio: 0.5 },
  { name: /^(gpt-4\.1.*|deepseek-(chat|reasoner|coder))$/, ratio: 0.25 },
  {
    name: /^(gpt-5(-mini|-nano|-chat-latest)?(-\d{4}-\d\d-\d\d)?|gemini-3-.*|claude-(3|sonnet-4|opus-4|haiku-4).*)$/,
    ratio: 0.1,
  },
];
const compiledCache: RatioOf = (model) => compiledCacheRules.find(({ name }) => name.test(model))?.ratio;

/** Completion ratios that both programs derive from a name; `locked` ones beat new-api's setting. */
interface NameRule {
  name: RegExp;
  ratio: number;
  locked?: boolean;
}

const oneApiRules: readonly NameRule[] = [
  { name: /^whisper-1$/, ratio: 0 },
  { name: /^llama2-70b-4096$/, ratio: 1.25 },
  { name: /^llama3-8b-8192$/, ratio: 2 },
  { name: /^llama3-70b-8192$/, ratio: 0.79 / 0.59 },
  { name: /^grok-beta$/, ratio: 3 },
  { name: /^ibm-granite\/granite-3\.0-2b-instruct$/, ratio: 8.333333333334 },
  { name: /^ibm-granite\/|^mistralai\/mistral-7b/, ratio: 5 },
  { name: /^meta\/(llama-2|meta-llama-3)-70b/, ratio: 2.75 / 0.65 },
  { name: /^meta\/(llama-2-|meta-llama-3-)/, ratio: 5 },
  { name: /^mistralai\/mixtral-8x7b/, ratio: 10 / 3 },
  { name: /^gpt-3\.5-turbo(-0125)?$/, ratio: 3 },
  { name: /^gpt-3\.5-turbo-1106$/, ratio: 2 },
  { name: /^gpt-3\.5/, ratio: 4 / 3 },
  { name: /^gpt-4o-2024-05-13$/, ratio: 3 },
  { name: /^gpt-4o/, ratio: 4 },
  { name: /^gpt-4-turbo/, ratio: 3 },
  { name: /^gpt-4.*preview$/, ratio: 3 },
  { name: /^gpt-4/, ratio: 2 },
  { name: /^o1/, ratio: 4 },
  { name: /^chatgpt-4o-latest$/, ratio: 3 },
  { name: /^claude-3/, ratio: 5 },
  { name: /^claude-/, ratio: 3 },
  { name: /^mistral-/, ratio: 3 },
  { name: /^gemini-/, ratio: 3 },
  { name: /^deepseek-reasoner$/, ratio: 3.98 },
  { name: /^deepseek-/, ratio: 2 },
  { name: /^command-r-plus/, ratio: 5 },
  { name: /^command-r/, ratio: 3 },
  { name: /^command/, ratio: 2 },
];

const newApiRules: readonly NameRule[] = [
  { name: /-all$|-gizmo-\*$/, ratio: 2 },
  { name: /^gpt-4o-2024-05-13$/, ratio: 3, locked: true },
  { name: /^gpt-4o-mini-tts/, ratio: 20 },
  { name: /^gpt-4o/, ratio: 4 },
  { name: /^gpt-5\.4-nano/, ratio: 6.25, locked: true },
  { name: /^gpt-5\.4/, ratio: 6, locked: true },
  { name: /^gpt-5.*\./, ratio: 6 },
  { name: /^gpt-5/, ratio: 8, locked: true },
  { name: /^gpt-4\.5-preview/, ratio: 2, locked: true },
  { name: /^gpt-4-turbo|^gpt-4-110[56]$/, ratio: 3, locked: true },
  { name: /^gpt-/, ratio: 2 },
  { name: /^o[13]/, ratio: 4, locked: true },
  { name: /^chatgpt-4o-latest$/, ratio: 3, locked: true },
  { name: /claude-(3|(sonnet|opus|haiku)-4|(fable|sonnet|opus)-5)/, ratio: 5, locked: true },
  { name: /^mistral-/, ratio: 3, locked: true },
  { name: /^gemini-(1\.5|2\.0)/, ratio: 4, locked: true },
  { name: /^gemini-2\.5-pro/, ratio: 8 },
  { name: /^gemini-2\.5-flash-(lite|preview.*-nothinking$)/, ratio: 4 },
  { name: /^gemini-2\.5-flash-preview/, ratio: 3.5 / 0.15 },
  { name: /^gemini-(2\.5-flash|robotics-er-1\.5)/, ratio: 2.5 / 0.3 },
  { name: /^gemini-3-pro-image/, ratio: 60 },
  { name: /^gemini-3-pro/, ratio: 6 },
  { name: /^gemini-/, ratio: 4 },
  { name: /^command-r-plus$/, ratio: 5, locked: true },
  { name: /^command-r(-plus)?-08-2024$/, ratio: 4, locked: true },
  { name: /^command-r$/, ratio: 3, locked: true },
  { name: /^command/, ratio: 4 },
  { name: /^ERNIE-(Speed-|Lite-|Character|Functions)/, ratio: 2, locked: true },
  { name: /^llama2-70b-4096$/, ratio: 1.25, locked: true },
  { name: /^llama3-8b-8192$/, ratio: 2, locked: true },
  { name: /^llama3-70b-8192$/, ratio: 0.79 / 0.59, locked: true },
];

/** New-api's completion ratios until others are saved. */
const compiledCompletion: Ratios = new Map([
  ['gpt-4-gizmo-*', 2],
  ['gpt-4o-gizmo-*', 3],
  ['gpt-4-all', 2],
  ['gpt-image-1', 8],
]);

function completionOf(model: string, saved: Ratios, isNew: boolean): number {
  const own = saved.get(model);
  if (!isNew) return own ?? oneApiRules.find(({ name }) => name.test(model))?.ratio ?? 1;
  const rule = newApiRules.find(({ name }) => name.test(model));
  // Names with a slash: the setting comes first.
  if (rule?.locked && !(model.includes('/') && own !== undefined)) return rule.ratio;
  return own ?? rule?.ratio ?? 1;
}

function numbersIn(text: string | undefined): Ratios {
  const numbers = new Map<string, number>();
  for (const [name, value] of Object.entries(mapIn(text) ?? {}))
    if (typeof value === 'number' && value >= 0) numbers.set(name, value);
  return numbers;
}
