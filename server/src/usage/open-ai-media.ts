import { noUsage, type Usage } from '@relay-hub/contract';
import { believed, objectOf, partOf } from './counts.ts';
import { readInputOutput } from './open-ai-responses.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/** A day of sound; more is a fault. */
const MOST_SECONDS = 86_400;

/**
 * Images of the models that are billed by token. What is made are image tokens unless details say otherwise, and a
 * `times` price counts the images in the reply. Older models tell no usage.
 * https://platform.openai.com/docs/api-reference/images/object
 */
export const openAiImages: UsageFormat = {
  find: (message) => {
    const reply = objectOf(message);
    const usage = objectOf(reply?.['usage']);
    const images = reply?.['data'];
    // The number instead of the images, which can be large.
    return usage && { ...usage, images: Array.isArray(images) ? images.length : 0 };
  },
  merge: lastWins,
  read: (raw) => {
    const usage = readInputOutput(raw, 'outputImage');
    return usage && { ...usage, units: partOf(objectOf(raw)?.['images']) };
  },
};

/** Transcription tells tokens, or for older models the length of the sound, which is rounded up to whole seconds. */
export const openAiTranscription: UsageFormat = {
  find: (message) => objectOf(message)?.['usage'] ?? undefined,
  merge: lastWins,
  read: (raw) => (objectOf(raw)?.['type'] === 'duration' ? readDuration(raw) : readInputOutput(raw, 'output')),
};

/** Speech: the text that was read, and sound. Only a stream of events tells it. */
export const openAiSpeech: UsageFormat = {
  ...openAiTranscription,
  read: (raw) => readInputOutput(raw, 'outputAudio'),
};

function readDuration(raw: unknown): Usage | undefined {
  const seconds = objectOf(raw)?.['seconds'];
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= MOST_SECONDS)) return undefined;
  return believed({ ...noUsage, audioSeconds: Math.ceil(seconds) + 0 });
}
