import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { cx } from './cx.ts';

interface Props {
  /** What may be seen: the masked text as the server gives it, or the tail of the secret. */
  masked: string;
  /** Fetches the clear text; called for copying and for revealing, never before. */
  load: () => Promise<string>;
  /** What it is, for names and toasts: "key of prod-agent". */
  name?: string | undefined;
  /** Drawn as a field, e.g. in a form or dialog. */
  boxed?: boolean | undefined;
  /** No eye: it can only be copied. */
  copyOnly?: boolean | undefined;
}

/** A secret: masked, copied without being shown, shown only on demand. */
export function Secret({ masked, load, name, boxed = false, copyOnly = false }: Props) {
  const { t } = useTranslation('shared');
  const [clear, setClear] = useState<string>();
  const [busy, setBusy] = useState(false);
  const what = name ?? t('secret');
  const toggle = async () => {
    if (clear !== undefined) return setClear(undefined);
    setBusy(true);
    try {
      setClear(await load());
    } catch {
      // The failed request has said so itself; the secret stays masked.
    } finally {
      setBusy(false);
    }
  };
  return (
    <span
      className={cx(
        'group/secret inline-flex max-w-full min-w-0 items-center',
        boxed && 'h-9 w-full rounded-control border border-line2 bg-sunk pr-0.5 pl-2.5 max-sm:h-11',
      )}
    >
      <span
        className={cx(
          'min-w-0 truncate font-mono text-12 text-text2',
          boxed && 'flex-1',
          clear !== undefined && 'text-text select-all',
        )}
      >
        {clear ?? masked}
      </span>
      <CopyButton text={() => (clear === undefined ? load() : Promise.resolve(clear))} name={what} className="ml-1" />
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
    </span>
  );
}

/** `sk-1234567890abcd` → `sk-••••••••abcd`; short secrets keep nothing. */
export function mask(secret: string): string {
  const head = /^[a-z]+-(?:proj-)?/i.exec(secret)?.[0] ?? '';
  return `${head}••••••••${secret.length - head.length >= 12 ? secret.slice(-4) : ''}`;
}
