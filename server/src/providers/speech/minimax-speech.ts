import { objectOr, textOr } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { Fields } from '#chat/fields.ts';
import { lookup } from '../lookup.ts';
import type { Conversion } from '../operation.ts';
import { type VoiceMap, voiceOf } from './voices.ts';

export const miniMaxVoices: VoiceMap = {
  alloy: 'female-chengshu',
  echo: 'male-qn-qingse',
  fable: 'male-qn-jingying',
  onyx: 'presenter_male',
  nova: 'presenter_female',
  shimmer: 'audiobook_female_1',
};

const typeOf = lookup({
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
});

/** OpenAI's speech through MiniMax. `response_format` may be `format-channels-rate-bitrate`, as in one-hub. */
export const miniMaxSpeech: Conversion = {
  request(body, call) {
    const fields = new Fields(body);
    const [voice_id, emotion] = voiceOf(call, fields.needText('voice'), miniMaxVoices);
    const [format = 'mp3', channel, sampleRate, bitrate] = (fields.text('response_format') ?? 'mp3').split('-');
    return {
      json: {
        model: call.model,
        text: fields.needText('input'),
        voice_setting: { voice_id, ...(emotion !== '' && { emotion }), speed: fields.number('speed') ?? 1 },
        audio_setting: {
          format,
          ...numbers({ channel, sample_rate: sampleRate, bitrate }),
        },
      },
    };
  },
  reply(content) {
    const reply = objectOr('json' in content ? content.json : undefined);
    const audio = textOr(objectOr(reply['data'])['audio'], '');
    const bytes = Buffer.from(audio, 'hex');
    if (bytes.length === 0) throw new BadReply({ code: 'bad_reply', message: 'the answer holds no sound' });
    const format = textOr(objectOr(reply['extra_info'])['audio_format'], 'mp3');
    return { bytes, contentType: typeOf(format) ?? 'application/octet-stream' };
  },
};

const numbers = (texts: Readonly<Record<string, string | undefined>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, Number(text ?? Number.NaN)] as const)
      .filter(([, value]) => Number.isFinite(value)),
  );
