/** The veil behind what must be answered first. */
export const scrim =
  'fixed inset-0 z-50 bg-scrim transition-opacity duration-160 data-ending-style:opacity-0 data-starting-style:opacity-0';

/** Dialogs and menus: a fade and 4 px of way. */
export const popupMotion =
  'transition-[opacity,translate] duration-160 ease-out data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0';

/** Drawers slide in from the right. */
export const drawerMotion =
  'transition-[translate] duration-200 ease-out data-ending-style:translate-x-full data-starting-style:translate-x-full';

/** Sheets come from below. */
export const sheetMotion =
  'transition-[translate] duration-200 ease-out data-ending-style:translate-y-full data-starting-style:translate-y-full';

/** Menus and lists in the top layer; goes with `usePopover`. */
export const popover =
  'floating fixed inset-auto m-0 max-h-[min(520px,calc(100dvh-16px))] overflow-y-auto rounded-card border-0 p-1.5 text-left font-normal text-text shadow-menu transition-[opacity,translate] duration-160 starting:-translate-y-1 starting:opacity-0';
