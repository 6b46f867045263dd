import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useEffect, useState, type ReactNode, type RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';
import { popupMotion, scrim } from './overlay.ts';

interface Props {
  title: string;
  text?: ReactNode;
  icon?: IconShape | undefined;
  iconTone?: string | undefined;
  /** In place of an icon: a tile of 24. */
  mark?: ReactNode;
  width?: 400 | 440 | 600 | 900 | undefined;
  /** Above all other overlays: Escape closes this dialog alone, a press outside does nothing. */
  onTop?: boolean | undefined;
  /** Footer content, from left to right; `close` closes the dialog with its animation. */
  footer?: ((close: () => void) => ReactNode) | undefined;
  initialFocus?: RefObject<HTMLElement | null> | (() => HTMLElement | null | undefined) | undefined;
  /** Called when closing starts; `onClose` follows after the animation. */
  onClosing?: (() => void) | undefined;
  onClose: () => void;
  /** A function receives `close`. */
  children?: ReactNode | ((close: () => void) => ReactNode);
}

const widths = { 400: 'max-w-100', 440: 'max-w-110', 600: 'max-w-150', 900: 'max-w-225' };

/** A dialog in the middle of the page; mount it to open it. */
export function Dialog({
  title,
  text,
  icon,
  iconTone = 'text-ok',
  mark,
  width = 600,
  onTop = false,
  footer,
  initialFocus,
  onClosing,
  onClose,
  children,
}: Props) {
  const { t } = useTranslation('shared');
  const [open, setOpen] = useState(true);
  const close = () => {
    setOpen(false);
    onClosing?.();
  };
  useEffect(() => {
    if (!onTop) return undefined;
    // Captured, so that the overlay below does not close as well.
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopPropagation();
      setOpen(false);
      onClosing?.();
    };
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, [onTop, onClosing]);
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={onTop}
      onOpenChange={(next) => (next ? setOpen(true) : close())}
      onOpenChangeComplete={(now) => !now && onClose()}
    >
      <Base.Portal>
        {/* Also above the drawer that opened the dialog. */}
        <Base.Backdrop className={cx(scrim, onTop && 'z-55!')} forceRender />
        <Base.Viewport
          className={cx(
            'fixed inset-0 grid grid-cols-1 place-items-center overflow-y-auto p-4',
            onTop ? 'z-55' : 'z-50',
          )}
        >
          <Base.Popup
            initialFocus={initialFocus}
            className={cx('floating w-full rounded-card shadow-dialog outline-none', popupMotion, widths[width])}
          >
            <div className="flex items-start gap-3 px-6 pt-5 pb-4 max-sm:px-4">
              {mark}
              {icon && <Icon of={icon} size={18} className={cx('mt-[3px]', iconTone)} />}
              <div className="min-w-0 flex-1">
                <Base.Title className="text-16 break-words">{title}</Base.Title>
                {text && <Base.Description className="mt-1 text-13 text-text2">{text}</Base.Description>}
              </div>
              <IconButton label={t('close')} icon={X} className="-mt-1 -mr-2" onClick={close} />
            </div>
            {children && (
              <div className="px-6 pb-5 max-sm:px-4">{typeof children === 'function' ? children(close) : children}</div>
            )}
            {footer && (
              <div className="flex min-h-16 flex-wrap items-center justify-end gap-2 border-t border-line px-6 py-3 max-sm:px-4">
                {footer(close)}
              </div>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
