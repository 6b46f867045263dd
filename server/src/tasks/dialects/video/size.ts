import type { VideoOrder } from '#providers/video-order.ts';
import { invalidTask } from '#tasks/task-refusal.ts';

type SizeTerms = Pick<VideoOrder, 'size' | 'resolution' | 'ratio'>;

/** Reads `1280x720` or `1280*720`, `16:9`, or `720p`. Throws a 400 for anything else. */
export function sizeTerms(size: string | undefined, name: string): SizeTerms {
  if (size === undefined) return {};
  const text = size.trim().toLowerCase();
  const [, width = '', height = ''] = /^(\d{2,5})[x*](\d{2,5})$/.exec(text) ?? [];
  if (width !== '') {
    const [w, h] = [Number(width), Number(height)];
    if (w < 16 || h < 16) throw badSize(name);
    return { size: { width: w, height: h }, resolution: resolutionOf(w, h), ratio: ratioOf(w, h) };
  }
  if (/^\d{1,3}:\d{1,3}$/.test(text)) return { ratio: text };
  if (/^(?:\d{3,4}p|[248]k)$/.test(text)) return { resolution: text };
  throw badSize(name);
}

const badSize = (name: string) => invalidTask(`'${name}' is not valid: it must be a size such as 1280x720.`, name);

const resolutionOf = (width: number, height: number): string => {
  const short = Math.min(width, height);
  return short === 2160 ? '4k' : `${short}p`;
};

function ratioOf(width: number, height: number): string {
  let [a, b] = [width, height];
  while (b > 0) [a, b] = [b, a % b];
  return `${width / a}:${height / a}`;
}
