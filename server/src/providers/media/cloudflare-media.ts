import { listOr, objectOr, textOr, type Json } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { Fields } from '#chat/fields.ts';
import { openAiTranscription } from '#usage/open-ai-media.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import type { Content, Conversion } from '../operation.ts';

/**
 * OpenAI's image generation through Workers AI, whose models answer with bytes or with JSON.
 * https://developers.cloudflare.com/workers-ai/models/flux-1-schnell/
 */
export const cloudflareImages: Conversion = {
  request(body) {
    const fields = new Fields(body);
    const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(fields.text('size') ?? '') ?? [];
    const own = ['negative_prompt', 'seed', 'steps', 'num_steps', 'guidance'].filter((name) => body[name] != null);
    return {
      json: {
        prompt: fields.needText('prompt'),
        ...(width !== undefined && { width: Number(width), height: Number(height) }),
        ...Object.fromEntries(own.map((name) => [name, body[name]])),
      },
    };
  },
  reply(content) {
    const bytes = 'json' in content ? textOr(resultIn(content)['image'], '') : content.bytes.toString('base64');
    if (bytes === '') throw new BadReply({ code: 'bad_reply', message: 'the answer holds no picture' });
    return { json: { created: Math.floor(Date.now() / 1000), data: [{ b64_json: bytes }] } };
  },
};

/** The duration that newer models report. */
export const cloudflareTranscription: UsageFormat = {
  ...openAiTranscription,
  find: (message) => {
    const seconds = objectOr(objectOr(objectOr(message)['result'])['transcription_info'])['duration'];
    return typeof seconds === 'number' ? { type: 'duration', seconds } : undefined;
  },
};

/**
 * OpenAI's transcriptions and translations through Whisper on Workers AI. The older models take the file itself, the
 * newest one takes it in JSON. https://developers.cloudflare.com/workers-ai/models/whisper-large-v3-turbo/
 */
export const cloudflareSpeech = (task: 'transcribe' | 'translate'): Conversion => ({
  request(body, { model }) {
    const fields = new Fields(body);
    const file = fields.needText('file');
    fields.oneOf('response_format', ['json', 'text', 'verbose_json', 'vtt']);
    if (!model.includes('turbo'))
      return { bytes: Buffer.from(file, 'base64'), contentType: 'application/octet-stream' };
    const language = fields.text('language');
    const prompt = fields.text('prompt');
    return {
      json: { audio: file, task, ...(language && { language }), ...(prompt && { initial_prompt: prompt }) },
    };
  },
  reply(content, request) {
    const result = resultIn(content);
    const { text, vtt, segments, transcription_info: about } = result;
    if (typeof text !== 'string') throw new BadReply({ code: 'bad_reply', message: 'the reply contains no text' });
    const format = textOr(request['response_format'], 'json');
    if (format === 'text') return plain(`${text}\n`, 'text/plain; charset=utf-8');
    if (format === 'vtt') return plain(textOr(vtt, ''), 'text/vtt; charset=utf-8');
    if (format === 'json') return { json: { text } };
    const { language, duration } = objectOr(about);
    return { json: { task, language, duration, text, segments: listOr(segments) } };
  },
});

const plain = (text: string, contentType: string): Content => ({ bytes: Buffer.from(text), contentType });

const resultIn = (content: Content): Json => ('json' in content ? objectOr(objectOr(content.json)['result']) : {});
