import { Dialog as Base } from '@base-ui/react/dialog';
import { ChevronDown, ChevronLeft, ChevronUp, X } from 'lucide-react';
import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { drawerMotion } from './overlay.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';

interface Props {
  title: string;
  /** State, time, number. */
  subtitle?: ReactNode;
  /** Before the title: an `OwnerTile` of 32. */
  tile?: ReactNode;
  /** Undefined at the end of the list, or without a list. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  footer?: ReactNode;
  /** Room for charts and columns. */
  wide?: boolean;
  /** Gets the focus after closing; the element that had it before by default. */
  returnTo?: () => HTMLElement | null;
  onClose: () => void;
  children: ReactNode;
}

/**
 * One record next to its list, without a backdrop: the list stays usable, ↑ ↓ move through it, Esc closes.
 * Full-screen on phones. Mount it to open it.
 */
export function DetailDrawer(props: Props) {
  const { title, subtitle, tile, onPrevious, onNext, footer, wide = false, returnTo, onClose, children } = props;
  const { t } = useTranslation('shared');
  const phone = useIsPhone();
  const [open, setOpen] = useState(true);
  const popup = useRef<HTMLDivElement>(null);
  useArrows(onPrevious, onNext);
  return (
    <Base.Root
      open={open}
      onOpenChange={setOpen}
      onOpenChangeComplete={(now) => !now && onClose()}
      modal={phone}
      disablePointerDismissal
    >
      <Base.Portal>
        <Base.Popup
          ref={popup}
          initialFocus={popup}
          finalFocus={returnTo && (() => returnTo() ?? true)}
          className={cx(
            'floating fixed inset-y-0 right-0 z-40 flex w-full flex-col shadow-drawer outline-none max-sm:max-w-none',
            wide ? 'max-w-195' : 'max-w-155',
            drawerMotion,
          )}
        >
          <div className="flex flex-none items-center gap-2.5 border-b border-line py-4 pr-4 pl-6 max-sm:px-2 max-sm:py-2">
            {phone && <IconButton label={t('close')} icon={ChevronLeft} onClick={() => setOpen(false)} />}
            {!phone && tile}
            <div className="min-w-0 flex-1">
              <Base.Title className="text-16 break-words">{title}</Base.Title>
              {subtitle && <div className="flex flex-wrap items-center gap-x-2 text-13 text-text2">{subtitle}</div>}
            </div>
            {(onPrevious || onNext) && (
              <>
                <IconButton
                  label={t('previousRow')}
                  icon={ChevronUp}
                  aria-keyshortcuts="ArrowUp"
                  disabled={!onPrevious}
                  onClick={onPrevious}
                />
                <IconButton
                  label={t('nextRow')}
                  icon={ChevronDown}
                  aria-keyshortcuts="ArrowDown"
                  disabled={!onNext}
                  onClick={onNext}
                />
              </>
            )}
            {!phone && (
              <IconButton label={t('close')} icon={X} aria-keyshortcuts="Escape" onClick={() => setOpen(false)} />
            )}
          </div>
          {/* A scroll area must be reachable by keyboard, even without controls in it. */}
          <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-6 py-4 -outline-offset-2 max-sm:px-4">
            {/* Content that is still loading must not hide the drawer, which would give the focus back. */}
            <Suspense>{children}</Suspense>
          </div>
          {footer && (
            <div className="flex min-h-16 flex-none flex-wrap items-center justify-end gap-2 border-t border-line px-6 py-3 max-sm:px-4 max-sm:*:flex-1">
              {footer}
            </div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function useArrows(onPrevious: (() => void) | undefined, onNext: (() => void) | undefined) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = { ArrowUp: onPrevious, ArrowDown: onNext }[event.key];
      if (!act || event.metaKey || event.ctrlKey || event.altKey || isTaken(event.target)) return;
      event.preventDefault();
      act();
    };
    // Captured, because the dialog stops the propagation of arrow keys.
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, [onPrevious, onNext]);
}

/** Whether the focused element uses the arrow keys itself. */
function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      'input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=tablist], [role=alertdialog], [role=group], [data-row], pre',
    ) !== null
  );
}
