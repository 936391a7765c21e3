# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen's view of a header: without the inline namespace and without bases that only the library knows."""
import os
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
text = text.replace("inline namespace KOKKOSCONTRACT_ISA {", "")
text = text.replace("}  // namespace KOKKOSCONTRACT_ISA", "")
text = re.sub(r"\s*:\s*(?:public )?Impl::\w+[^{};]*\{\s*\};", " {};", text)
text = re.sub(r"\bImpl::(\w+Tag)\b", r"\1", text)
text = re.sub(r"template <class Space>\s*struct std::tuple_.*?\};", "", text, flags=re.S)
# Two functions that differ in template parameters alone cannot be told apart in a page.
text = re.sub(r"/// In a kernel of the default execution space\.\n.*?\n\}\n", "", text, flags=re.S)
version = os.environ.get("KOKKOSCONTRACT_DOCS_VERSION", "0.0.0")
for part, value in zip(("_MAJOR", "_MINOR", "_PATCH"), version.split(".")):
    text = text.replace(f"@PROJECT_VERSION{part}@", value)
sys.stdout.write(text.replace("@PROJECT_VERSION@", version))
