import { expect, test } from 'vitest';
import { lyricsOf, songsOf } from './songs-of.ts';

const audio = (url: string) => ({ kind: 'audio' as const, url, cover: '/c.png', title: '', stored: false });
const video = (url: string) => ({ kind: 'video' as const, url, cover: '', title: '', stored: false });

test('songs take their words from the documents with audio, and keep their own video', () => {
  const data = [
    { id: 'x', title: 'Without audio' },
    {
      id: 'a',
      title: 'Night train',
      audio_url: 'https://v/a.mp3',
      metadata: { tags: 'city pop', prompt: '[Verse]', duration: 172 },
    },
    { id: 'b', title: 'Night train', audio_url: 'https://v/b.mp3', tags: 'rock', lyric: 'la' },
  ];
  const media = [audio('/a'), video('/av'), audio('/b')];
  expect(songsOf({ media, data })).toMatchObject([
    {
      id: 'a',
      title: 'Night train',
      tags: 'city pop',
      lyrics: '[Verse]',
      seconds: 172,
      audio: { url: '/a' },
      video: { url: '/av' },
    },
    { id: 'b', tags: 'rock', lyrics: 'la', seconds: 0, audio: { url: '/b' }, video: undefined },
  ]);
});

test.each([
  ['none', null, []],
  ['one document', { title: 'T', text: 'words' }, [{ title: 'T', text: 'words' }]],
  ['several, and some without text', [{ text: 'a' }, { status: 'x' }, 7], [{ title: '', text: 'a' }]],
])('lyrics: %s', (_, data, expected) => {
  expect(lyricsOf({ data })).toEqual(expected);
});
