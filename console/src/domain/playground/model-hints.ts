import type { Mode } from './playground-types.ts';

/** Abilities of a model, guessed from its name. Hints only: every field can be used with every model. */
export interface ModelHints {
  mode: Mode | undefined;
  vision: boolean;
  reasoning: boolean;
  /** False: the vendor refuses temperature and top_p. */
  sampling: boolean;
  efforts: readonly string[];
}

const images = /dall-e|image|flux|imagen|stable-diffusion|^sd3|recraft|ideogram|cogview|wanx|seedream/i;
const speech = /(?:^|[-/])tts|speech(?!.*(?:recogni|transcri))/i;
const transcription = /whisper|transcribe|asr|paraformer/i;
/** Models for which the playground has no mode. Names with `kling-video_` are prices of a mode and length. */
const others = /embed|rerank|moderation|bge-|realtime|^mj|midjourney|^suno_|^kling-video_/i;
const music = /^chirp/i;
const video =
  /sora|veo-|kling|video|seedance|^wan\d|hailuo|vidu|^gen[34]|runway|(?:^|-)ray-|dream-machine|happyhorse|jimeng/i;
const vision =
  /gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|^o[134](?!-mini-2024)|chatgpt|claude-(?!2|instant)|gemini|vision|[-.]vl|glm-\d[\d.]*v|pixtral|grok-[4-9]|llava|qvq/i;
const openAiReasoning = /(?:^|\/)(?:o[1-9]|gpt-[5-9])/i;
/** Claude models that take temperature only without thinking, or never. */
const fixedClaude = /claude-(?:opus-4-[78]|(?:opus|sonnet|haiku|fable)-[5-9])/i;
const claudeReasoning = /claude-(?:(?:opus|sonnet|haiku|fable)-[4-9]|3-7)/i;
const geminiReasoning = /gemini-(?:2\.5|[3-9])/i;
const otherReasoning =
  /reason|thinking|[-/]r1|qwq|qwen3|glm-[4-9]\.[5-9]|grok-[3-9]|kimi-k2|magistral|deepseek-v[3-9]/i;

const openAiEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const fewEfforts = ['low', 'medium', 'high'] as const;

/** Guesses the abilities of a model. */
export function hintsOf(model: string): ModelHints {
  const mode = modeOf(model);
  const openAi = openAiReasoning.test(model);
  const reasoning =
    mode === 'chat' &&
    (openAi || claudeReasoning.test(model) || geminiReasoning.test(model) || otherReasoning.test(model));
  return {
    mode,
    vision: mode === 'chat' && vision.test(model),
    reasoning,
    sampling: !openAi && !fixedClaude.test(model),
    efforts: !reasoning ? [] : /(?:^|\/)gpt-[5-9]/i.test(model) ? openAiEfforts : fewEfforts,
  };
}

function modeOf(model: string): Mode | undefined {
  if (others.test(model)) return undefined;
  if (transcription.test(model)) return 'transcription';
  if (speech.test(model)) return 'speech';
  if (/gemini.*image/i.test(model)) return 'chat';
  if (images.test(model)) return 'image';
  if (music.test(model)) return 'music';
  return video.test(model) ? 'video' : 'chat';
}

/** How the vendor of a model wants reasoning to be configured. */
export const reasoningStyle = (model: string): 'openai' | 'claude-budget' | 'claude' | 'gemini-budget' | 'gemini' => {
  if (/gemini-2/i.test(model)) return 'gemini-budget';
  if (/gemini/i.test(model)) return 'gemini';
  if (/claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015]\b|-20|$))/i.test(model)) return 'claude-budget';
  return /claude/i.test(model) ? 'claude' : 'openai';
};
