/** What the bundler tells of a module while it makes chunks. */
interface Graph {
  getModuleInfo(id: string): { importedIds: string[]; dynamicallyImportedIds: string[] } | null;
}

/** The libraries of every page; they change rarely and stay in the browser's cache. */
export const libraries =
  /rolldown[\\/]runtime|vite[\\/](preload-helper|modulepreload)|node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|@tanstack)[\\/](?!.*useBlocker)/;
/** The part of a library that comes with the forms that use it. */
const unwanted = /[\\/]useBlocker\.js$/;

/** What forms check with; no page needs it before one is opened. */
export const schemas = /node_modules[\\/]zod[\\/]|contract[\\/]src[\\/](values|(?!analytics)[\w-]+-input)\.ts$/;
/** The screens that are opened most; what they do not need is kept off them. */
const hot = ['log', 'channel', 'dashboard'];
/** Forms rather than lists: what they share with lists comes without the rest of those. */
const forms = ['setting', 'profile'];

/** What fewer of the other screens share is left to the bundler. */
const several = 4;

/** What draws charts comes while the cards around it are drawn; on two screens. */
const charts = /[\\/]src[\\/]ui[\\/]chart[\\/]/;
const texts = /[\\/]i18n[\\/]([a-z]{2}_[A-Z]{2})(?:[\\/](?:app|shared))?\.ts$/;
const screenFile = /[\\/]src[\\/]screens[\\/]panel[\\/][\w-]+[\\/]([\w-]+-screen\.tsx|route\.tsx\?.*loader.*)$/;
const publicFile =
  /[\\/]src[\\/]screens[\\/](?!panel[\\/]|login[\\/])[\w.-]+[\\/]([\w-]+-screen\.tsx|route\.tsx\?.*loader.*)$/;
const folder = /[\\/]src[\\/]screens[\\/](?:panel[\\/])?([\w.-]+)[\\/]/;

/**
 * Names the chunk of a module. Few chunks: a request costs more than the bytes, and small files compress badly. So there
 * is one for the libraries, one for what every page has, one for the panel's frame and what forms share with lists, one
 * for what lists are made of, a few for what other screens share, and one for each screen; its texts come beside those
 * of the frame.
 */
export function chunks(page: string): (id: string, graph: Graph) => string | null {
  let plan: Map<string, string> | undefined;
  return (id, graph) => {
    const [, language] = texts.exec(id) ?? [];
    if (language) return language;
    if (unwanted.test(id)) return null;
    plan ??= planOf(page, graph);
    return plan.get(id) ?? (charts.test(id) ? 'drawing' : null);
  };
}

/** Every module that is loaded with a page, by the chunk that it comes in. */
function planOf(page: string, graph: Graph): Map<string, string> {
  const lazy = everythingLazy(page, graph);
  const first = needed([page], graph);
  const site = needed(named(lazy, /[\\/](public-layout|login-screen|public-route|login[\\/]route)\.tsx(\?|$)/), graph);
  const frame = needed(named(lazy, /[\\/](panel-layout|panel-route)\.tsx(\?|$)/), graph);
  const users = usersOf([...lazy], graph);
  const screens = usersOf(named(lazy, screenFile), graph);
  const open = needed(named(lazy, publicFile), graph);

  const chunkOf = (id: string): string | undefined => {
    const by = screens.get(id) ?? new Set();
    const everyHot = hot.every((screen) => by.has(screen));
    const inList = by.has('channel') && by.has('log');
    const inForms = forms.some((screen) => by.has(screen)) && (by.has('channel') || by.has('dashboard'));
    if (first.has(id) || (site.has(id) && (frame.has(id) || hot.some((screen) => by.has(screen))))) return 'app';
    if (site.has(id)) return by.size === 0 ? 'site' : by.has('setting') ? undefined : 'both';
    if (by.size === 1 && users.get(id)?.size === 1 && !frame.has(id)) return `screen-${[...by].join('')}`;
    if (frame.has(id) || everyHot || inForms || (inList && open.has(id))) return 'panel';
    if (by.has('channel')) return inList ? 'list' : 'kit';
    if (by.has('log') || (by.has('dashboard') && open.has(id))) return 'calls';
    if (by.has('dashboard') || (by.has('analytics') && charts.test(id))) return 'chart';
    if (by.has('setting')) return by.has('analytics') ? 'select' : 'form';
    if (open.has(id) && by.size === 0) return (users.get(id)?.size ?? 0) > 1 ? 'words' : undefined;
    if (open.has(id)) return by.has('pricing') ? 'prices' : undefined;
    if (by.has('topup')) return 'movements';
    if (by.has('user') && !by.has('token')) return 'people';
    return by.size >= several ? 'extra' : undefined;
  };
  const all = new Set([...first, ...site, ...frame, ...screens.keys(), ...open]);
  return new Map(
    [...all].flatMap((id): [string, string][] => (chunkOf(id) === undefined ? [] : [[id, chunkOf(id) ?? '']])),
  );
}

/** The folder of a screen; the panel's own address shows the dashboard. */
const nameOf = (id: string): string =>
  /[\\/]src[\\/]screens[\\/]panel[\\/]home[\\/]/.test(id) ? 'dashboard' : (folder.exec(id)?.[1] ?? id);

/** Who needs a module, for all that `roots` need. */
function usersOf(roots: string[], graph: Graph): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  for (const root of roots)
    for (const id of needed([root], graph)) users.set(id, (users.get(id) ?? new Set()).add(nameOf(root)));
  return users;
}

const named = (ids: Iterable<string>, pattern: RegExp): string[] => [...ids].filter((id) => pattern.test(id));

/** All that `roots` import, and what that imports. */
function needed(roots: string[], graph: Graph): Set<string> {
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    graph.getModuleInfo(id)?.importedIds.forEach(visit);
  };
  roots.forEach(visit);
  return found;
}

/** Every module that is loaded when first wanted. */
function everythingLazy(page: string, graph: Graph): Set<string> {
  const lazy = new Set<string>();
  const visit = (root: string): void => {
    for (const id of needed([root], graph)) {
      for (const each of graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []) {
        if (lazy.has(each)) continue;
        lazy.add(each);
        visit(each);
      }
    }
  };
  visit(page);
  return lazy;
}
