import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf } from '#json.ts';
import { believed, partOf } from './counts.ts';
import { readInputOutput } from './open-ai-responses.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/** One day of audio; more is invalid. */
const MOST_SECONDS = 86_400;

/**
 * Images of token-billed models. Output is image tokens unless details say otherwise, and a `times` price counts the
 * images of the reply. Older models report no usage.
 * https://platform.openai.com/docs/api-reference/images/object
 */
export const openAiImages: UsageFormat = {
  find: (message) => {
    const reply = objectOf(message);
    const usage = objectOf(reply?.['usage']);
    const images = reply?.['data'];
    // Stores the number rather than the images, which can be large.
    return usage && { ...usage, images: Array.isArray(images) ? images.length : 0 };
  },
  merge: lastWins,
  read: (raw) => {
    const usage = readInputOutput(raw, 'outputImage');
    return usage && { ...usage, units: partOf(objectOf(raw)?.['images']) };
  },
};

/** Transcription reports tokens or, for older models, the audio's duration, rounded up to whole seconds. */
export const openAiTranscription: UsageFormat = {
  find: (message) => objectOf(message)?.['usage'] ?? undefined,
  merge: lastWins,
  read: (raw) => (objectOf(raw)?.['type'] === 'duration' ? readDuration(raw) : readInputOutput(raw, 'output')),
};

/** Speech: input text and output audio. Only an event stream reports it. */
export const openAiSpeech: UsageFormat = {
  ...openAiTranscription,
  read: (raw) => readInputOutput(raw, 'outputAudio'),
};

function readDuration(raw: unknown): Usage | undefined {
  const seconds = objectOf(raw)?.['seconds'];
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= MOST_SECONDS)) return undefined;
  return believed({ ...noUsage, audioSeconds: Math.ceil(seconds) + 0 });
}
