import type { Task, TaskMedia } from '@relay-hub/contract';

/** The address of a file with its host, for a clipboard: results at this server have a path only. */
export const fullAddress = (url: string): string => new URL(url, location.href).href;

const endings = { image: 'png', audio: 'mp3', video: 'mp4' };

/** Name under which a file is saved, if the server gives none: the id, and its number among several. */
export function fileName({ task_id, media }: Pick<Task, 'task_id' | 'media'>, file: TaskMedia): string {
  const alike = media.filter(({ kind }) => kind === file.kind);
  const number = alike.length > 1 ? `-${alike.indexOf(file) + 1}` : '';
  return `${task_id}${number}.${endings[file.kind]}`;
}
