// The version of this Dropgate.
// biome-ignore lint/style/noRestrictedImports: the manifest stands above src, in no folder of it
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
