import { cx } from '#ui/basic/cx.ts';

/** Look of a `<label>` around a radio input that fills it. */
export const choiceTile = (chosen: boolean, more: string): string =>
  cx(
    'relative flex min-h-14 min-w-0 cursor-pointer rounded-control border transition-colors',
    'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
    chosen
      ? 'border-focus bg-accent-soft shadow-[inset_0_0_0_1px_var(--color-focus)]'
      : 'border-line2 bg-card hover:bg-hover',
    more,
  );
