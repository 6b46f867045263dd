import { Fields } from '#chat/fields.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { lookup } from '../lookup.ts';
import type { Conversion } from '../operation.ts';
import { type VoiceMap, voiceOf } from './voices.ts';

export const azureVoices: VoiceMap = {
  alloy: 'zh-CN-YunxiNeural',
  echo: 'zh-CN-YunyangNeural',
  fable: 'zh-CN-YunxiNeural|Boy',
  onyx: 'zh-CN-YunyeNeural',
  nova: 'zh-CN-XiaochenNeural',
  shimmer: 'zh-CN-XiaohanNeural',
};

const known = lookup({
  mp3: 'audio-16khz-128kbitrate-mono-mp3',
  opus: 'ogg-24khz-16bit-mono-opus',
  wav: 'riff-24khz-16bit-mono-pcm',
  pcm: 'raw-24khz-16bit-mono-pcm',
});

/** Azure's output format; unknown ones become MP3. */
export const azureFormat = (format: unknown): string => known(format ?? 'mp3') ?? 'audio-16khz-128kbitrate-mono-mp3';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escaped for XML, without characters that XML cannot represent. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (one) => entities[one] ?? one)
    // oxlint-disable-next-line no-control-regex -- XML has no way to write them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '');

/** OpenAI's speech as SSML. The audio is passed through. */
export const azureSpeech: Conversion = {
  request(body, call) {
    const fields = new Fields(body);
    const [voice, role] = voiceOf(call, fields.needText('voice'), azureVoices);
    const speed = fields.number('speed') ?? 1;
    const text = escaped(fields.needText('input'));
    const paced = speed === 1 ? text : `<prosody rate="${Math.round((speed - 1) * 100)}%">${text}</prosody>`;
    const spoken = role === '' ? paced : `<mstts:express-as role="${escaped(role)}">${paced}</mstts:express-as>`;
    const ssml = `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts" xml:lang="en-US"><voice name="${escaped(voice)}">${spoken}</voice></speak>`;
    return { bytes: Buffer.from(ssml), contentType: 'application/ssml+xml' };
  },
  reply(content) {
    if ('json' in content) throw new BadReply({ code: 'bad_reply', message: 'the answer holds no sound' });
    return content;
  },
};
