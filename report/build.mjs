// Builds the page of reports: `node build.mjs [FOLDER]` writes report.js, report.css and LICENSES.txt there.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "..", "traces", "report", "bundle");
await build({
  absWorkingDir: here,
  entryPoints: { report: "src/main.tsx" },
  outdir: folder,
  bundle: true,
  minify: true,
  charset: "ascii",
  legalComments: "none",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
});
const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const licences = Object.entries(dependencies).map(([name, version]) => {
  const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
  return `${name} ${version}\n\n${text}\n`;
});
writeFileSync(join(folder, "LICENSES.txt"), `report.js contains these libraries.\n\n${licences.join("\n\n")}`);
