import { estimateTokens } from '#quota/estimate.ts';
import { assumedAudio, maxAudioSeconds } from './assumed-usage.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { fieldIn, filesIn, type Form } from '#relay/forms/form.ts';
import { imagesOf } from './open-ai-content.ts';
import { modelOf } from './open-ai.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';

/** Parses an image edit. Throws a 400 that names the field. */
export function readImageEdit(form: Form): ParsedRequest {
  const prompt = fieldIn(form, 'prompt');
  if (!prompt) throw badRequest("'prompt' is required.", 'prompt');
  return imageForm(form, estimateTokens(prompt));
}

/** Parses an image variation. Throws a 400 that names the field. */
export const readImageVariation = (form: Form): ParsedRequest => imageForm(form, 0);

function imageForm(form: Form, promptTokens: number): ParsedRequest {
  filesIn(form, 'image', 'image[]');
  const n = fieldIn(form, 'n');
  const request = {
    model: fieldIn(form, 'model'),
    n: n === undefined ? undefined : wholeIn(n),
    stream: flagIn(form, 'stream'),
    size: fieldIn(form, 'size'),
    quality: fieldIn(form, 'quality'),
  };
  return { ...imagesOf(request, promptTokens), usesImages: true, form };
}

/** Parses a transcription or translation. Throws a 400 that names the field. */
export function readTranscription(form: Form): ParsedRequest {
  const model = modelOf({ model: fieldIn(form, 'model') });
  const [file, ...more] = filesIn(form, 'file');
  if (!file || more.length > 0) throw badRequest("'file' is given more than once.", 'file');
  return {
    model,
    stream: flagIn(form, 'stream'),
    wantsUsage: true,
    inputTokens: 0,
    outputLimit: 0,
    usesTools: false,
    usesImages: false,
    assumed: assumedAudio(file.kept, file.end - file.start),
    maxSeconds: maxAudioSeconds(file.kept, file.end - file.start),
    form,
  };
}

/** NaN for anything else, which the field's check then rejects. */
const wholeIn = (text: string): number => (/^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN);

function flagIn(form: Form, name: string): boolean {
  const value = fieldIn(form, name)?.trim().toLowerCase() ?? 'false';
  if (value !== 'true' && value !== 'false')
    throw badRequest(`'${name}' is not valid: it must be true or false.`, name);
  return value === 'true';
}
