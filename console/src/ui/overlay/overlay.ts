/** The backdrop of modal overlays. */
export const scrim =
  'fixed inset-0 z-50 bg-scrim transition-opacity duration-160 data-ending-style:opacity-0 data-starting-style:opacity-0';

/** Dialogs: fade and move by 4 px. */
export const popupMotion =
  'transition-[opacity,translate] duration-160 ease-out data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0';

/** Drawers fade and move by 12 px. They are mounted open, where only `@starting-style` has an effect. */
export const drawerMotion =
  'transition-[opacity,translate] duration-160 ease-out starting:translate-x-3 starting:opacity-0 data-ending-style:translate-x-3 data-ending-style:opacity-0';

/** Sheets slide in from below. */
export const sheetMotion =
  'transition-[translate] duration-200 ease-out data-ending-style:translate-y-full data-starting-style:translate-y-full';

/** Menus and option lists; at least as wide as their anchor. */
export const popover =
  'floating max-h-[min(600px,var(--available-height))] min-w-(--anchor-width) overflow-y-auto rounded-card p-1.5 text-left font-normal text-text shadow-menu outline-none transition-[opacity,translate] duration-160 starting:-translate-y-1 starting:opacity-0';

/**
 * Hides the focus guards that Base UI adds inside a popup and around its portal: focusable elements that screen readers
 * do not see. For popups that Tab never enters or leaves by itself.
 */
export const withoutGuards = '*:data-base-ui-focus-guard:hidden';

/**
 * Where the portal of a popup belongs: the dialog or landmark around its anchor. In `body` it would be outside all
 * landmarks for screen readers. Goes with `className="contents"`, so that the portal is no item of a flex container.
 */
export const landmarkOf = (anchor: HTMLElement | null): HTMLElement => {
  const around = (selector: string) => anchor?.closest<HTMLElement>(selector);
  return (
    around('[role=dialog], [role=alertdialog]') ?? around('main') ?? around('header, aside, footer') ?? document.body
  );
};
