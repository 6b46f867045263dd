import type { TaskQuote } from './task-operation.ts';

/** The resolved qualities of a video that decide about its price. */
export interface VideoTerms {
  seconds: number;
  resolution?: string | undefined;
  quality?: string | undefined;
  audio?: boolean | undefined;
}

/**
 * Price names of a video, most specific first: `<model>_<quality>_<resolution>_audio`, with any part missing, each as
 * `…_<seconds>` (per call) and `…_second` (per second).
 */
export function videoQuote(model: string, { seconds, resolution, quality, audio }: VideoTerms): TaskQuote {
  const variants = [
    ...(audio ? [[quality, resolution, 'audio'], [resolution, 'audio'], [quality, 'audio'], ['audio']] : []),
    [quality, resolution],
    [resolution],
    [quality],
    [],
  ];
  const names = variants.map((parts) => [model, ...parts.filter((part) => part)].join('_'));
  const prices = [...new Set(names)].flatMap((name) => [
    { name: `${name}_${seconds}`, perSecond: false },
    { name: `${name}_second`, perSecond: true },
    ...(name === model ? [] : [{ name, perSecond: false }]),
  ]);
  return { prices, seconds };
}
