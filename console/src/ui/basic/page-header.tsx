import { CircleHelp } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from './button.tsx';
import { cx } from './cx.ts';

interface Props {
  title: string;
  /** One line that says what the page is for. */
  text?: ReactNode;
  /** Longer help behind the "?"; opens above the page without moving it. */
  help?: ReactNode;
  /** Secondary actions first, the one primary action last. */
  children?: ReactNode;
}

/** Title, purpose and primary action of a page. */
export function PageHeader({ title, text, help, children }: Props) {
  const bare = !text && !help && !children;
  return (
    <header
      className={cx(
        'flex flex-wrap gap-x-2 gap-y-3',
        bare ? 'md:mb-4' : cx('mb-4', !text && 'max-sm:mb-3'),
        text ? 'items-end max-sm:items-center md:min-h-12' : 'items-center',
      )}
    >
      <div
        className={cx(
          // The "?" follows the last visible text.
          'relative min-w-0 flex-1 basis-64 max-md:flex max-md:flex-row-reverse max-md:items-center max-md:justify-end max-md:gap-1.5',
          // Takes no space if nothing in it is visible.
          text ? 'max-sm:basis-44' : !help && 'max-md:absolute',
        )}
      >
        <div className="flex items-center gap-1.5">
          {/* Below this width the top bar shows the title. */}
          <h1 className="text-20 tracking-[-0.005em] max-md:sr-only">{title}</h1>
          {help && <Help title={title}>{help}</Help>}
        </div>
        {text && <p className="text-text2">{text}</p>}
      </div>
      {children && <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}

function Help({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation('shared');
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div
      onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}
    >
      <IconButton
        label={t('help')}
        icon={CircleHelp}
        size="sm"
        aria-expanded={open}
        aria-controls={id}
        active={open}
        onClick={() => setOpen((now) => !now)}
      />
      {open && (
        <div
          id={id}
          role="note"
          aria-label={title}
          tabIndex={-1}
          className="floating absolute top-full left-0 z-30 mt-1 w-110 max-w-[calc(100vw-32px)] rounded-card p-4 text-13 text-text2 shadow-menu outline-none"
        >
          {children}
        </div>
      )}
    </div>
  );
}
