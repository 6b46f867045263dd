import { listOr, objectOr, textOr, type Json } from '#json.ts';
import { BadChatRequest, BadReply } from '#chat/chat-errors.ts';
import { Fields } from '#chat/fields.ts';
import { speechConfig } from '#chat/gemini/write-gemini-request.ts';
import { pcmRate, wavOf } from '#chat/sound.ts';
import type { About, Conversion } from '../operation.ts';

export const speaksAloud = ({ model }: Pick<About, 'model'>): boolean => /-tts\b/.test(model);

/** Without a wish, clients take any format that names itself. */
const formats = ['wav', 'pcm'] as const;

/** OpenAI's speech by Gemini, which follows instructions in front of the text. https://ai.google.dev/gemini-api/docs/speech-generation */
export const googleSpeech: Conversion = {
  request(body) {
    const fields = new Fields(body);
    fields.oneOf('response_format', formats);
    const speed = fields.number('speed') ?? 1;
    if (speed !== 1)
      throw new BadChatRequest("The model behind this name has no 'speed'; say it in 'instructions'.", 'speed');
    const said = fields.text('instructions')?.trim();
    const text = fields.needText('input');
    return {
      json: {
        contents: [{ role: 'user', parts: [{ text: said ? `${said.replace(/[.:]$/, '')}: ${text}` : text }] }],
        generationConfig: { responseModalities: ['AUDIO'], ...speechConfig(fields.needText('voice')) },
      },
    };
  },
  reply(content, request) {
    const [candidate] = listOr(objectOr('json' in content ? content.json : undefined)['candidates']);
    const parts = listOr(objectOr(objectOr(candidate)['content'])['parts']);
    const sounds = parts.map((part): Json => objectOr(objectOr(part)['inlineData']));
    const bytes = Buffer.concat(sounds.map(({ data }) => Buffer.from(textOr(data, ''), 'base64')));
    if (bytes.length === 0) throw new BadReply({ code: 'bad_reply', message: 'the answer holds no sound' });
    const rate = pcmRate(textOr(sounds[0]?.['mimeType'], ''));
    if (rate === undefined) return { bytes, contentType: textOr(sounds[0]?.['mimeType'], 'application/octet-stream') };
    if (request['response_format'] === 'pcm') return { bytes, contentType: 'audio/pcm' };
    return { bytes: wavOf(bytes, rate), contentType: 'audio/wav' };
  },
};
