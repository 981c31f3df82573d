"""The Kubernetes manifest against the schemas of Kubernetes."""
import subprocess

import engine
import pypi

MANIFEST = engine.TOP / "docker" / "kubernetes.yaml"


class Kubernetes(engine.TestCase):
    def validate(self, text):
        """The names of what is valid, and what is wrong with the rest."""
        file = self.folder() / "manifest.yaml"
        file.write_text(text)
        result = subprocess.run([pypi.program("kubernetes-validate"), "--strict", file], capture_output=True,
                                text=True, timeout=120)
        lines = (result.stdout + result.stderr).splitlines()
        valid = [line.split(" resource ")[1].split("/")[0] for line in lines if " passed for resource " in line]
        wrong = [line for line in lines if " passed for resource " not in line]
        self.assertEqual(bool(wrong), result.returncode != 0, lines)
        return valid, "\n".join(wrong)

    def test_the_manifest_is_valid(self):
        self.assertEqual((["deployment", "service", "horizontalpodautoscaler"], ""),
                         self.validate(MANIFEST.read_text()))

    def test_a_misspelt_key_is_refused(self):
        text = MANIFEST.read_text()
        for right, wrong in (("replicas: 3", "replica: 3"), ("readOnlyRootFilesystem", "readOnlyRootFileSystem"),
                             ("readinessProbe", "readynessProbe"), ("targetPort", "targetport"),
                             ("averageUtilization", "averageUtilisation")):
            with self.subTest(wrong):
                self.assertIn(right, text)
                self.assertIn(wrong.split(":")[0], self.validate(text.replace(right, wrong, 1))[1])
