import { cx } from '#ui/basic/cx.ts';
import { Spinner } from '#ui/feedback/spinner.tsx';

interface Props {
  /** Seconds until the button is enabled again; 0 = now. */
  left: number;
  busy: boolean;
  words: string;
  waiting: string;
  onSend: () => void;
  className?: string | undefined;
}

/** At the right end of an address field: sends a code to it, then counts down. */
export function SendCodeButton({ left, busy, words, waiting, onSend, className }: Props) {
  return (
    <button
      type="button"
      disabled={left > 0}
      aria-busy={busy}
      onClick={onSend}
      className={cx(
        'flex h-8 items-center gap-1.5 rounded-control px-2 text-13 whitespace-nowrap tabular-nums max-sm:h-10',
        left > 0 ? 'text-text3' : 'text-accent hover:bg-fill',
        className,
      )}
    >
      {busy && <Spinner size={14} />}
      {left > 0 ? waiting : words}
    </button>
  );
}
