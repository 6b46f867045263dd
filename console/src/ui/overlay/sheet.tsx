import { Dialog as Base } from '@base-ui/react/dialog';
import { useState, type ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { scrim, sheetMotion } from './overlay.ts';

interface Props {
  title: ReactNode;
  /** At the right of the title. */
  aside?: ReactNode;
  footer: (close: () => void) => ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** A sheet from below, for phones; its footer stays visible. Mount it to open it. */
export function Sheet({ title, aside, footer, onClose, children }: Props) {
  const [open, setOpen] = useState(true);
  return (
    <Base.Root open={open} onOpenChange={setOpen} onOpenChangeComplete={(now) => !now && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <Base.Popup
          className={cx(
            'floating fixed inset-x-0 bottom-0 z-50 flex max-h-[85dvh] flex-col rounded-t-[16px] shadow-dialog outline-none',
            sheetMotion,
          )}
        >
          <div aria-hidden className="mx-auto mt-2 h-1 w-9 flex-none rounded-full bg-line2" />
          <div className="flex flex-none items-center gap-2 px-4 pt-2 pb-1">
            <Base.Title className="flex min-h-10 flex-1 items-center gap-2 text-16">{title}</Base.Title>
            {aside}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 pb-4">{children}</div>
          <div className="flex flex-none gap-2 border-t border-line px-4 pt-2.5 pb-[max(10px,env(safe-area-inset-bottom))]">
            {footer(() => setOpen(false))}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
