import { Playground } from './playground.tsx';

// One module for both pages: the bundler moves code that two modules share into a chunk that every page loads.

/** Fills the console below its top bar, over the margins of a page. */
export function PanelPlayground() {
  return (
    <div
      data-fills
      className="-mx-6 -my-5 h-[calc(100%+40px)] min-h-100 max-sm:-mx-4 max-sm:-my-3 max-sm:h-[calc(100%+24px)]"
    >
      <Playground />
    </div>
  );
}

/** The same below the header of the public site. */
export function PublicPlayground() {
  return (
    <div data-fills className="-mx-6 min-h-100 flex-1 border-x border-line text-14 max-sm:-mx-4">
      <Playground />
    </div>
  );
}
