import type { Rolldown } from 'vite';
import { routes } from './routes.ts';

const source = `${import.meta.dirname}/src/`;

/** Minimum number of pages for a module to be in the shared file; others are grouped by the pages that load them. */
const sharedIn = 3;
/** Characters of source below which modules of the same two pages are not worth a file. */
const smallGroup = 12_000;

type GetModuleInfo = Rolldown.PluginContext['getModuleInfo'];

/** Addresses with the route files, layout first. `/panel` is the dashboard's second address. */
export const pages = routes.children.flatMap(({ path = '', file: layout, children }) =>
  children.map(({ file, ...route }) => ({
    address: path + ('path' in route ? route.path : '') || '/',
    files: [source + layout, source + file],
  })),
);

/**
 * Minimum number of pages whose first load includes a module for it to be in the first script: more than the panel has,
 * whose dashboard counts once.
 */
const commonIn = pages.filter(({ address }) => address.startsWith('/panel')).length;

/** Modules that a page loads lazily at its start: those which its routes import dynamically. */
export const rootsOf = (files: readonly string[], getModuleInfo: GetModuleInfo): string[] =>
  files.flatMap((file) => getModuleInfo(file)?.dynamicallyImportedIds ?? []).filter((id) => !id.includes('not-found'));

/**
 * Names the chunk of a module so that a page loads in few files: on a slow line a request costs more than some KiB that
 * the page does not need. Modules that no page begins with have no name, and are split as usual. Code that imports a module
 * begins no page that the module does not, so chunks never import each other in a circle.
 */
export function chunkNames(): (id: string, context: { getModuleInfo: GetModuleInfo }) => string | null {
  let names: Map<string, string> | undefined;
  return (id, context) => {
    const getModuleInfo: GetModuleInfo = (each) => context.getModuleInfo(each);
    if (isOfForms(id, getModuleInfo)) return 'forms';
    if (ofCharges.test(id)) return 'charges';
    names ??= namesOf(pagesOfModules(getModuleInfo));
    return names.get(id) ?? null;
  };
}

/**
 * Forms and what validates them: zod, and the modules of the contract that declare schemas or use those. All pages reach
 * them through the index of the contract, but only open forms use them.
 */
function isOfForms(id: string, getModuleInfo: GetModuleInfo): boolean {
  if (/node_modules.(zod|react-hook-form|@hookform)/.test(id)) return true;
  if (!/contract.src/.test(id) || /contract.src.index/.test(id)) return false;
  return !!getModuleInfo(id)?.importedIds.some((each) => isOfForms(each, getModuleInfo));
}

/** Charges and their explanation: like forms, all pages reach them through the index, and few use them. */
const ofCharges = /contract.src.(?:price.(?:cache-savings|charge|rules-hold|price-jump)|log.log-usage)\.ts/;

interface UsedModule {
  id: string;
  size: number;
  /** Addresses of the pages that begin with it. */
  users: string[];
}

/** Components without a screen; parts that load later use them too, and should not load another page for them. */
const isKit = (id: string): boolean => id.startsWith(`${source}ui/`);

function namesOf(modules: UsedModule[]): Map<string, string> {
  const groups = Map.groupBy(modules, ({ id, users }) => `${isKit(id)} ${users.join()}`);
  const names = new Map<string, string>();
  for (const group of groups.values()) {
    const size = group.reduce((sum, each) => sum + each.size, 0);
    for (const { id, users } of group)
      names.set(id, chunkOf(users, isKit(id) || (users.length > 1 && size < smallGroup)));
  }
  return names;
}

function chunkOf(users: string[], isSmall: boolean): string {
  const panels = users.filter((page) => page.startsWith('/panel')).length;
  const publics = users.length - panels;
  const isShared = (count: number): boolean => count >= sharedIn || (isSmall && count > 0);
  if (users.length >= commonIn || (isShared(panels) && isShared(publics))) return 'app';
  if (isShared(panels)) return 'panel';
  if (isShared(publics)) return 'public';
  return users.map(nameOf).join('-');
}

const nameOf = (page: string): string => page.replace(/^\/(panel\/)?/, '').replaceAll('/', '-') || 'home';

function pagesOfModules(getModuleInfo: GetModuleInfo): UsedModule[] {
  const found = new Map<string, UsedModule>();
  for (const { address, files } of pages) {
    if (address === '/panel') continue;
    const ids = new Set([`${source}main.tsx`, ...rootsOf(files, getModuleInfo)]);
    for (const id of ids) {
      const module = getModuleInfo(id);
      const known = found.get(id) ?? { id, size: module?.code?.length ?? 0, users: [] };
      known.users.push(address);
      found.set(id, known);
      module?.importedIds.forEach((each) => ids.add(each));
    }
  }
  return [...found.values()];
}
