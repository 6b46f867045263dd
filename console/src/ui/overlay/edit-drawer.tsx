import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useContext, useRef, useState, type KeyboardEvent, type ReactNode, type SubmitEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { Kbd } from '#ui/basic/chip.tsx';
import { Confirm } from './confirm.tsx';
import { cx } from '#ui/basic/cx.ts';
import { drawerMotion, scrim } from './overlay.ts';
import { useLeaveGuard } from './use-leave-guard.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';

interface Props {
  title: string;
  /** Identifies the record: number, state. */
  subtitle?: ReactNode;
  /** At the right of the header, e.g. a link to the record's page. */
  aside?: ReactNode;
  /** Number of changed fields; `countDirty(formState.dirtyFields)`. */
  changes: number;
  /** Text of the submit button; "Save" by default. */
  saveLabel?: string | undefined;
  /** True while saving. */
  busy?: boolean | undefined;
  /** Can be saved without changes, e.g. a new record with good defaults. */
  alwaysSave?: boolean | undefined;
  /** react-hook-form's `handleSubmit(…)`. */
  onSave: (event?: SubmitEvent<HTMLFormElement>) => unknown;
  /** A second submit button, left of the first: "Save and test". */
  extra?: ReactNode;
  /** Above the footer, always visible: a test result. */
  notice?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A form in a drawer at the right, full-screen on phones. Asks before it discards changes;
 * ⌘/Ctrl+Enter saves. Mount it to open it.
 */
export function EditDrawer(props: Props) {
  const { title, subtitle, aside, changes, busy = false, alwaysSave = false, onSave, onClose, children } = props;
  const { t } = useTranslation('shared');
  const [open, setOpen] = useState(true);
  const [asking, setAsking] = useState(false);
  const away = useContext(SavingDisabled);
  const form = useRef<HTMLFormElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const leaving = useLeaveGuard(open ? changes : 0);
  const close = () => {
    if (busy) return;
    if (changes > 0) setAsking(true);
    else setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || asking || leaving) return;
    event.preventDefault();
    event.stopPropagation();
    if (changes > 0 || alwaysSave) form.current?.requestSubmit();
  };
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => (next ? setOpen(true) : close())}
      onOpenChangeComplete={(now) => !now && onClose()}
    >
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <Base.Popup
          ref={popup}
          // On the drawer, not the form: when the focused element is removed, the drawer itself has the focus.
          onKeyDown={onKeyDown}
          initialFocus={() =>
            popup.current?.querySelector<HTMLElement>('[data-form-body] [data-first-focus]') ??
            popup.current?.querySelector<HTMLElement>(
              '[data-form-body] :is(input, textarea, button):not(:disabled, [hidden], [data-aside] *)',
            ) ??
            true
          }
          className={cx(
            'floating fixed inset-y-0 right-0 z-50 w-full max-w-160 shadow-drawer outline-none max-sm:max-w-none',
            drawerMotion,
          )}
        >
          <form
            ref={form}
            noValidate
            aria-label={title}
            onSubmit={(event) => {
              // React events of a drawer opened from this form bubble through portals.
              event.stopPropagation();
              event.preventDefault();
              if (!busy && !away) void Promise.resolve(onSave(event)).then(() => showInvalid(form.current));
            }}
            className="flex h-full flex-col"
          >
            <header
              className={cx(
                'flex flex-none gap-2.5 border-b border-line py-4 pr-4 pl-6 max-sm:items-center max-sm:py-2 max-sm:pr-4 max-sm:pl-2',
                subtitle ? 'items-start' : 'items-center',
              )}
            >
              <div className="min-w-0 flex-1">
                <Base.Title className="text-16 break-words">{title}</Base.Title>
                {subtitle && <div className="flex flex-wrap items-center gap-x-2 text-13 text-text2">{subtitle}</div>}
              </div>
              {aside}
              <IconButton label={t('close')} icon={X} className="max-sm:order-first" onClick={close} />
            </header>
            <div data-form-body className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-6 max-sm:px-4">
              {children}
            </div>
            {props.notice && <div className="flex-none px-6 pt-2 pb-3 max-sm:px-4">{props.notice}</div>}
            <Footer {...props} onCancel={close} />
          </form>
          {leaving && (
            <Confirm
              title={t('discardTitle')}
              text={t('discardText', { count: changes })}
              action={t('discard')}
              safe={t('keepEditing')}
              saves={false}
              onConfirm={leaving.leave}
              onClose={leaving.stay}
            />
          )}
          {asking && (
            <Confirm
              title={t('discardTitle')}
              text={t('discardText', { count: changes })}
              action={t('discard')}
              safe={t('keepEditing')}
              saves={false}
              onConfirm={() => setOpen(false)}
              onClose={() => setAsking(false)}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Unfolds the section of the first invalid field, which could not take the focus while folded. */
function showInvalid(form: HTMLFormElement | null) {
  // After the errors are rendered.
  requestAnimationFrame(() => {
    const invalid = form?.querySelector<HTMLElement>('[aria-invalid=true]');
    const folded = invalid?.closest<HTMLDetailsElement>('details:not([open])');
    if (!invalid || !folded) return;
    folded.open = true;
    invalid.focus();
  });
}

function Footer({ changes, saveLabel, busy, alwaysSave = false, extra, onCancel }: Props & { onCancel: () => void }) {
  const { t } = useTranslation('shared');
  const phone = useIsPhone();
  const ready = changes > 0 || alwaysSave;
  const words = saveLabel ?? (phone && changes > 0 ? t('saveChanges', { count: changes }) : t('save'));
  return (
    <footer className="flex min-h-16 flex-none items-center gap-2 border-t border-line px-6 pb-[env(safe-area-inset-bottom)] max-sm:px-4 max-sm:*:flex-1">
      {!phone && (
        <span role="status" className="mr-auto text-13 text-text2">
          {changes > 0 && t('unsaved', { count: changes })}
        </span>
      )}
      {(!phone || !extra) && (
        <Button variant={phone ? 'default' : 'ghost'} onClick={onCancel}>
          {t('cancel')}
        </Button>
      )}
      {extra}
      <Button type="submit" variant="primary" busy={busy} disabled={!ready && !busy}>
        {words}
        {!phone && ready && <Kbd onAccent>{shortcut}</Kbd>}
      </Button>
    </footer>
  );
}

const shortcut = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘↵' : 'Ctrl ↵';

/** Number of dirty fields in react-hook-form's `dirtyFields`; a list of values counts as one field. */
export function countDirty(dirty: unknown): number {
  if (dirty === true) return 1;
  if (Array.isArray(dirty)) return dirty.some((each) => countDirty(each) > 0) ? 1 : 0;
  if (typeof dirty !== 'object' || dirty === null) return 0;
  return Object.values(dirty).reduce<number>((sum, each) => sum + countDirty(each), 0);
}
