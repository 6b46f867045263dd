import { Eye, EyeOff } from 'lucide-react';
import { useState, type Ref } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { cx } from '#ui/basic/cx.ts';

interface Props {
  /** The masked text from the server, or the tail of the secret. */
  masked: string;
  /** Fetches the clear text; called only for copying and revealing. */
  load: () => Promise<string>;
  /** For accessible names and toasts: "key of prod-agent". */
  name?: string | undefined;
  /** Looks like a field, e.g. in a form or dialog. */
  boxed?: boolean | undefined;
  /** Without the reveal button. */
  copyOnly?: boolean | undefined;
  /** Label of a primary copy button, where copying is the main action. */
  copyWords?: string | undefined;
  copyRef?: Ref<HTMLButtonElement> | undefined;
}

/** A masked secret; can be copied without being revealed. */
export function Secret({ masked, load, name, boxed = false, copyOnly = false, copyWords, copyRef }: Props) {
  const { t } = useTranslation('shared');
  const [clear, setClear] = useState<string>();
  const [busy, setBusy] = useState(false);
  const what = name ?? t('secret');
  const copy = { text: () => (clear === undefined ? load() : Promise.resolve(clear)), name: what };
  const toggle = async () => {
    if (clear !== undefined) return setClear(undefined);
    setBusy(true);
    try {
      setClear(await load());
    } catch {
      // The failed request shows its own error; the secret stays masked.
    } finally {
      setBusy(false);
    }
  };
  return (
    <span
      className={cx(
        'group/secret inline-flex max-w-full min-w-0 items-center',
        boxed && 'min-h-9 w-full rounded-control border border-line2 bg-sunk pr-0.5 pl-2.5 max-sm:min-h-11',
      )}
    >
      <span
        className={cx(
          'min-w-0 font-mono text-12',
          boxed && 'flex-1',
          clear === undefined ? 'truncate text-text2' : 'py-1 break-all whitespace-normal text-text select-all',
        )}
      >
        {clear ?? masked}
      </span>
      {copyWords === undefined && <CopyButton {...copy} className="ml-1" />}
      {!copyOnly && (
        <IconButton
          label={t(clear === undefined ? 'revealNamed' : 'hideNamed', { name: what })}
          icon={clear === undefined ? Eye : EyeOff}
          size="sm"
          iconSize={14}
          busy={busy}
          aria-pressed={clear !== undefined}
          onClick={() => void toggle()}
          className={cx(
            !boxed &&
              clear === undefined &&
              'opacity-0 group-hover/secret:opacity-100 focus-visible:opacity-100 in-[tr:hover]:opacity-100 max-sm:opacity-100',
          )}
        />
      )}
      {copyWords !== undefined && (
        <CopyButton {...copy} ref={copyRef} variant="primary" className="mx-0.5">
          {copyWords}
        </CopyButton>
      )}
    </span>
  );
}
