import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useState, type ReactNode, type RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { popupMotion, scrim } from './overlay.ts';

interface Props {
  title: string;
  text?: ReactNode;
  /** In front of the title: a tile of 32. */
  mark?: ReactNode;
  /** The list at the left; above the content below 900 px. */
  side: ReactNode;
  /** Footer content, from left to right; `close` closes the dialog with its animation. */
  footer: (close: () => void) => ReactNode;
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  /** Identifies the content, which is scrolled to its top when another one is shown. */
  contentKey: string;
  onClose: () => void;
  children: ReactNode;
}

/** A wide dialog with a list at the left that selects its content; full-screen below 900 px. Mount it to open it. */
export function SplitDialog(props: Props) {
  const { title, text, mark, side, footer, initialFocus, contentKey, onClose, children } = props;
  const { t } = useTranslation('shared');
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  return (
    <Base.Root open={open} onOpenChange={setOpen} onOpenChangeComplete={(now) => !now && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <Base.Viewport className="fixed inset-0 z-50 grid grid-cols-1 place-items-center md:p-4">
          <Base.Popup
            initialFocus={initialFocus}
            className={cx(
              'floating flex size-full overflow-hidden shadow-dialog outline-none max-md:flex-col max-md:rounded-none max-md:border-0 md:h-[min(780px,100%)] md:max-w-250 md:rounded-card',
              popupMotion,
            )}
          >
            <div className="flex-none border-line max-md:order-2 md:bg-sunk max-md:border-b md:flex md:w-62 md:flex-col md:border-r">
              {side}
            </div>
            <div className="flex min-h-0 min-w-0 flex-1 flex-col max-md:contents">
              <div className="flex items-start gap-3 px-6 pt-4.5 pb-3 max-md:order-1 max-md:px-4 max-md:pt-3">
                {mark}
                <div className="min-w-0 flex-1">
                  <Base.Title className="text-16 break-words">{title}</Base.Title>
                  {text && <Base.Description className="text-12 text-text2">{text}</Base.Description>}
                </div>
                <IconButton label={t('close')} icon={X} className="-mt-0.5 -mr-2" onClick={close} />
              </div>
              <div
                key={contentKey}
                className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-6 pt-1 pb-5 max-md:order-3 max-md:px-4 max-md:pt-4"
              >
                {children}
              </div>
              <div className="flex min-h-14 flex-none flex-wrap items-center justify-end gap-2 border-t border-line px-6 py-2.5 max-md:order-4 max-md:px-4">
                {footer(close)}
              </div>
            </div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
