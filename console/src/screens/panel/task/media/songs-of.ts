import type { Task, TaskMedia } from '@relay-hub/contract';

export interface Song {
  id: string;
  title: string;
  /** Style, e.g. "city pop, female voice"; empty: not given. */
  tags: string;
  lyrics: string;
  /** Seconds, as the vendor says; 0: not given. */
  seconds: number;
  audio: TaskMedia;
  video: TaskMedia | undefined;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The vendor's documents of a task, one per song or text. */
const documentsOf = ({ data }: Pick<Task, 'data'>): Json[] => (Array.isArray(data) ? data : [data]).filter(isObject);

/**
 * The songs of a task: each audio file starts one, a video after it belongs to it. Titles, styles and lyrics come from
 * the vendor's documents, which have the same order.
 */
export function songsOf({ media, data }: Pick<Task, 'media' | 'data'>): Song[] {
  const documents = documentsOf({ data }).filter((song) => textOf(song['audio_url']) !== '');
  const songs: Song[] = [];
  for (const file of media) {
    const last = songs.at(-1);
    if (file.kind === 'video' && last) last.video ??= file;
    if (file.kind !== 'audio') continue;
    const about = documents[songs.length] ?? {};
    const metadata = isObject(about['metadata']) ? about['metadata'] : {};
    const seconds = Number(metadata['duration'] ?? about['duration']);
    songs.push({
      id: textOf(about['id']) || String(songs.length),
      title: file.title || textOf(about['title']),
      tags: textOf(metadata['tags']) || textOf(about['tags']),
      lyrics: textOf(metadata['prompt']) || textOf(about['lyric']) || textOf(about['prompt']),
      seconds: Number.isFinite(seconds) ? seconds : 0,
      audio: file,
      video: undefined,
    });
  }
  return songs;
}

export interface Lyrics {
  title: string;
  text: string;
}

/** The texts that a lyrics task has written. */
export const lyricsOf = (task: Pick<Task, 'data'>): Lyrics[] =>
  documentsOf(task)
    .map((document) => ({
      title: textOf(document['title']),
      text: textOf(document['text']) || textOf(document['lyrics']) || textOf(document['lyric']),
    }))
    .filter(({ text }) => text !== '');
